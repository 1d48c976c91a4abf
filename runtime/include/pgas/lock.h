/**
 * Locks: mutual exclusion between threads of the job.
 *
 * A lock lives in one thread's segment, and serves threads of all nodes; the handle is the same on
 * every thread and may be copied. Not recursive. Taking a lock sees what its last holder wrote
 * before releasing it.
 *
 * Threads that wait for a lock, of whatever node, have it in the order in which their requests
 * reach the node that the lock lies on. There is one exception, which spares a running thread the
 * wait for one that has yet to wake up: a lock that is released while the next one is a thread of
 * the lock's node may be taken by a thread that asks just then, at most PGAS_LOCK_PASSES times
 * until that next one has it. So whoever asks when k threads wait has the lock after at most
 * (k + 1) (PGAS_LOCK_PASSES + 1) others.
 */
#ifndef PGAS_LOCK_H
#define PGAS_LOCK_H

#include <stdbool.h>

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** How often the first of the waiting threads may be passed. */
#define PGAS_LOCK_PASSES 64

/** A handle on a lock. */
typedef struct pgas_lock {
    pgas_ptr_t state;
} pgas_lock_t;

/** Makes one lock, the same for all threads. Collective; includes a barrier. */
PGAS_API pgas_status_t pgas_all_lock_alloc(pgas_lock_t *lock);

/** Makes a lock in the calling thread's segment. Not collective. */
PGAS_API pgas_status_t pgas_global_lock_alloc(pgas_lock_t *lock);

/**
 * Frees a lock, held or not, that nobody waits for and nobody will use any more. Not collective:
 * any one thread calls it, once. A lock for which threads wait ends the job; the null handle is
 * ignored.
 *
 * What a lock protects may so be taken down by the last one to use it: a thread that finds under
 * the lock that it is the last may release and free it at once, though pgas_unlock may not have
 * returned yet to those that have released it before.
 */
PGAS_API void pgas_lock_free(pgas_lock_t lock);

/** Waits for the lock and takes it. Taking a lock that the thread holds ends the job. */
PGAS_API void pgas_lock(pgas_lock_t lock);

/** Takes the lock if nobody holds it. True if it was taken. Whoever tries again and again is not
 *  among those that wait, and may find others in possession each time. */
PGAS_API bool pgas_lock_attempt(pgas_lock_t lock);

/** Releases the lock. Releasing one that the thread does not hold ends the job. */
PGAS_API void pgas_unlock(pgas_lock_t lock);

PGAS_END_DECLS

#endif
