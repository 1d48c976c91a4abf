/**
 * Locks between nodes: the way to the thread in whose segment a lock lies, and what that does.
 *
 * To take a free lock is a call, request and reply. If it is held, the caller stands in the queue
 * (lock_home.h) and a message tells it that it has the lock. A release is a message without a
 * reply, so a thread goes on while its release is under way. Two things must not come before it:
 * its next request for the lock, and the reuse of the lock's memory (pgasi_lock_settle). Releases
 * of a thread have numbers, since attached threads have connections of their own, on which a later
 * one may come first; the home counts how many have been performed up to the first that has not.
 * The next request carries how many have been sent, and is made again if that is not the count.
 */
#ifndef PGASI_LOCK_LOCK_REMOTE_H
#define PGASI_LOCK_LOCK_REMOTE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <pgas/lock.h>

#include "node/segment.h"
#include "sync/wait.h"

/** Who follows whom in the queues of this node's locks: an element a thread of the job. */
static inline _Atomic uint32_t *pgasi_lock_queue_links(void)
{
    return pgasi_node_memory.control->next_in_queue;
}

/** Serves this thread's locks to other nodes. Between pgasi_net_init and pgasi_net_start. */
void pgasi_lock_serve(void);

/** Takes a lock of another node; `describe` says what is waited for. False if the calling thread
 *  holds it. */
bool pgasi_lock_remote_take(pgas_ptr_t lock, pgasi_describe_t *describe);

/** Takes a lock of another node if nobody holds it. */
bool pgasi_lock_remote_attempt(pgas_ptr_t lock);

/** Releases a lock of another node. If the thread does not hold it, the job ends soon. */
void pgasi_lock_remote_release(pgas_ptr_t lock);

/** Waits until no release of a lock of any node is under way: from here on nobody touches its
 *  memory but threads that use it. False if threads wait for it. */
bool pgasi_lock_settle(pgas_ptr_t lock);

/** Waits until all releases that this thread has sent to other nodes have been performed, so that
 *  one of a lock that it did not hold is found, even if it was its last call. */
void pgasi_lock_finish(void);

/** Tells the thread that pgasi_lock_home_release has returned: its number + 1, or 0. */
void pgasi_lock_notify(uint32_t thread);

/** Whether a lock may lie at that offset of a segment. */
bool pgasi_lock_may_be_at(uint64_t offset);

#endif
