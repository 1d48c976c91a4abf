/**
 * Locks: mutual exclusion between threads of the job.
 *
 * A lock lives in one thread's segment, and serves threads of all nodes; the handle is the same on
 * every thread and may be copied. Not recursive and not fair, but where threads of the lock's node
 * and of others wait, neither side starves: they take turns, and the others among themselves have
 * it in the order of asking. Taking a lock sees what its last holder wrote before releasing it.
 */
#ifndef PGAS_LOCK_H
#define PGAS_LOCK_H

#include <stdbool.h>

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** A handle on a lock. */
typedef struct pgas_lock {
    pgas_ptr_t state;
} pgas_lock_t;

/** Makes one lock, the same for all threads. Collective; includes a barrier. */
PGAS_API pgas_status_t pgas_all_lock_alloc(pgas_lock_t *lock);

/** Makes a lock in the calling thread's segment. Not collective. */
PGAS_API pgas_status_t pgas_global_lock_alloc(pgas_lock_t *lock);

/** Frees a lock that nobody holds or wants. Not collective: one thread calls it, once. */
PGAS_API void pgas_lock_free(pgas_lock_t lock);

/** Waits for the lock and takes it. Taking a lock that the thread holds ends the job. */
PGAS_API void pgas_lock(pgas_lock_t lock);

/** Takes the lock if it is free. True if it was taken. */
PGAS_API bool pgas_lock_attempt(pgas_lock_t lock);

/** Releases the lock. Releasing one that the thread does not hold ends the job. */
PGAS_API void pgas_unlock(pgas_lock_t lock);

PGAS_END_DECLS

#endif
