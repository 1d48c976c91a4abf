/**
 * A lock on the node whose memory it lies in.
 *
 * Waiting threads of all nodes are in one queue, in the order in which their requests reached the
 * lock's node. A release hands the lock to the first of them. As long as that one is of this node
 * and has not been passed PGAS_LOCK_PASSES times, the release instead frees the lock and notifies
 * it: then a running thread need not wait for one that has yet to be given a core, and no thread
 * waits for ever.
 *
 * A thread waits for one lock at a time, so the links of the queues are not in the locks: `next`
 * has those of all queues on the node, by thread of the job (node/memory.h). Threads are not
 * notified through the lock's memory either.
 *
 * The operations run in any thread of the node: its own main threads, and the progress side of the
 * lock's owner on behalf of other nodes. All but pgasi_lock_home_wait return at once.
 *
 * The lock's memory may be freed as soon as a thread that may free it has the lock: no operation
 * touches it after the instant from which another thread can have it (lock_home.c has the proof).
 */
#ifndef PGASI_LOCK_LOCK_HOME_H
#define PGASI_LOCK_LOCK_HOME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <pgas/lock.h>

#include "sync/wait.h"

/** All zero is a free lock. */
typedef struct pgasi_lock_home {
    /** The holder, thread + 1 or 0, and the flags below. */
    _Atomic uint32_t word;
    /** The first thread of the queue, + 1, with PGASI_LOCK_REMOTE for one of another node; 0: none.
     *  Changed by the thread that guards the queue; one in the queue may read whether it is first.
     */
    _Atomic uint32_t first;
    /** For the thread that guards the queue: the last one in it, and how often the first one has
     *  been passed. */
    uint32_t last;
    uint32_t passes;
    char reserved[48];
} pgasi_lock_home_t;

_Static_assert(sizeof(pgasi_lock_home_t) == 64, "a lock fills one unit of the heap");

/** Flags of the word: the queue is not empty; a thread changes the queue. */
#define PGASI_LOCK_QUEUED (UINT32_C(1) << 31)
#define PGASI_LOCK_GUARDED (UINT32_C(1) << 30)

#define PGASI_LOCK_REMOTE (UINT32_C(1) << 31)

/** Takes the lock for `thread` if nobody holds it. */
bool pgasi_lock_home_attempt(pgasi_lock_home_t *lock, uint32_t thread);

/** True if `thread` holds the lock. Called by the thread itself, or on its behalf. */
bool pgasi_lock_home_held_by(const pgasi_lock_home_t *lock, uint32_t thread);

/** The holder, + 1, or 0. */
uint32_t pgasi_lock_home_holder(const pgasi_lock_home_t *lock);

/** Takes the lock for `thread`, which does not hold it, or appends the thread to the queue. True if
 *  the lock was taken. `is_remote`: the thread is of another node. */
bool pgasi_lock_home_take(pgasi_lock_home_t *lock, _Atomic uint32_t *next, uint32_t thread,
                          bool is_remote);

/** For a thread of this node that is in the queue and has been notified: true if it has the lock
 *  now. Otherwise it will be notified again. */
bool pgasi_lock_home_enter(pgasi_lock_home_t *lock, const _Atomic uint32_t *next, uint32_t thread);

/** Waits until `thread`, the calling one, which is of this node and does not hold the lock, has it.
 *  Raising `look` notifies it; that may also happen for no reason. */
void pgasi_lock_home_wait(pgasi_lock_home_t *lock, _Atomic uint32_t *next, uint32_t thread,
                          pgasi_event_t *look, pgasi_describe_t *describe);

/** Releases the lock for `thread`, which holds it. Returns the thread, + 1, that must be notified:
 * a thread of another node has the lock, one of this node must call pgasi_lock_home_enter. 0: none.
 */
uint32_t pgasi_lock_home_release(pgasi_lock_home_t *lock, const _Atomic uint32_t *next,
                                 uint32_t thread);

/** True if threads wait for the lock. Called for a thread that may free it. */
bool pgasi_lock_home_is_wanted(const pgasi_lock_home_t *lock);

#endif
