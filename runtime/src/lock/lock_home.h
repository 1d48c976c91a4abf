/**
 * A lock, seen from the node it lies on.
 *
 * Threads of all nodes that wait stand in one queue, in the order in which they have asked at home.
 * A release hands the lock to the first of them; or it sets the lock free although threads wait,
 * and has the first one look, as long as that one is of this node and has not been passed
 * PGAS_LOCK_PASSES times. A running thread then need not wait for one that has yet to be given a
 * core, and nobody waits for ever.
 *
 * A thread waits for one lock at a time, so its place in the queue is not in the lock: `next` are
 * the links of all queues on the node, by thread of the job (node_memory.h). Nor is it told there.
 *
 * The operations run in any thread of the node: its own main threads, and the lock owner's serving
 * side on behalf of other nodes. All but pgasi_lock_home_wait return at once.
 *
 * The lock's memory may be freed as soon as somebody who may free it has the lock: no operation
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
    /** Who holds it, thread + 1 or 0, and the flags below. */
    _Atomic uint32_t word;
    /** The first thread of the queue, + 1, with PGASI_LOCK_FAR for one of another node; 0: none.
     *  Changed by who guards the queue; a thread of the queue may read whether it is the first. */
    _Atomic uint32_t first;
    /** For who guards the queue: the last one, and how often the first one has been passed. */
    uint32_t last;
    uint32_t passes;
    char reserved[48];
} pgasi_lock_home_t;

_Static_assert(sizeof(pgasi_lock_home_t) == 64, "a lock fills one unit of the heap");

/** Of the word: the queue is not empty; the holder, or somebody while it is held, changes it. */
#define PGASI_LOCK_QUEUED (UINT32_C(1) << 31)
#define PGASI_LOCK_GUARDED (UINT32_C(1) << 30)

#define PGASI_LOCK_FAR (UINT32_C(1) << 31)

/** Takes the lock for `thread` if nobody holds it. */
bool pgasi_lock_home_attempt(pgasi_lock_home_t *lock, uint32_t thread);

/** True if `thread` holds the lock. Meant for the thread itself, or on its behalf. */
bool pgasi_lock_home_held_by(const pgasi_lock_home_t *lock, uint32_t thread);

/** Takes the lock for `thread` if nobody holds it, and else puts the thread, which does not, at the
 *  end of the queue. True if it was taken. `is_far`: the thread is of another node. */
bool pgasi_lock_home_take(pgasi_lock_home_t *lock, _Atomic uint32_t *next, uint32_t thread,
                          bool is_far);

/** For a thread of this node that is in the queue, when it has been told: true if it has the lock
 *  now. Else it will be told again. */
bool pgasi_lock_home_enter(pgasi_lock_home_t *lock, const _Atomic uint32_t *next, uint32_t thread);

/** Waits until `thread`, the calling one, of this node, has the lock, which it does not hold. It is
 *  told by `look` being raised; that may also happen for no reason. */
void pgasi_lock_home_wait(pgasi_lock_home_t *lock, _Atomic uint32_t *next, uint32_t thread,
                          pgasi_event_t *look, pgasi_describe_t *describe);

/** Releases the lock for `thread`, which holds it. Returns the thread, + 1, that must be told: one
 *  of another node that it has the lock, one of this node to look (pgasi_lock_home_enter). 0: none.
 */
uint32_t pgasi_lock_home_release(pgasi_lock_home_t *lock, const _Atomic uint32_t *next,
                                 uint32_t thread);

/** True if threads wait for the lock. Meant for a thread that may free it. */
bool pgasi_lock_home_is_wanted(const pgasi_lock_home_t *lock);

#endif
