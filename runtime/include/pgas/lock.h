/**
 * Locks: mutual exclusion between threads of the job.
 *
 * A lock is in the segment of one thread and serves the threads of all nodes; its handle is the
 * same on every thread and may be copied. Locks are not recursive. A thread that takes a lock sees
 * what the last holder wrote before releasing it: all accesses and copies that were complete.
 *
 * Waiting threads, of all nodes, get the lock in the order in which their requests reach its node.
 * There is one exception, so that a running thread need not wait for one that has yet to wake up:
 * if the next in the queue is a thread of the lock's node, another thread may take the released
 * lock first, at most PGAS_LOCK_PASSES times until that next one has it. So a thread that requests
 * the lock when k threads wait has it after at most (k + 1) (PGAS_LOCK_PASSES + 1) others.
 */
#ifndef PGAS_LOCK_H
#define PGAS_LOCK_H

#include <stdbool.h>

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** How often other threads may pass the first of the waiting ones. */
#define PGAS_LOCK_PASSES 64

/** A handle of a lock. */
typedef struct {
    pgas_ptr_t state;
} pgas_lock_t;

/** Allocates one lock for all threads, in the segment of thread 0. Collective; includes a barrier.
 *  Locks of many things lie better by each owner: pgas_global_lock_alloc there, and the handles to
 *  the others by pgas_allgather. */
PGAS_API pgas_status_t pgas_all_lock_alloc(pgas_lock_t *lock);

/** Allocates a lock in the calling thread's segment. Not collective. */
PGAS_API pgas_status_t pgas_global_lock_alloc(pgas_lock_t *lock);

/**
 * Frees a lock, held or not, that no thread waits for or will use any more. Not collective: any one
 * thread calls it, once. A lock for which threads wait ends the job; the null handle is ignored.
 * If another thread's release of the lock is still under way, waits until it has come.
 *
 * So the last user of a lock may free it: a thread that finds, while it holds the lock, that it is
 * the last may release and free the lock at once, even if pgas_unlock has not returned yet in the
 * threads that released it before.
 *
 * Calls with the handle of a freed lock end the job in the debug build, unless its memory has been
 * allocated again; in other builds they may wait for ever.
 */
PGAS_API void pgas_lock_free(pgas_lock_t lock);

/** Waits for the lock and takes it. Taking a lock that the thread holds ends the job. */
PGAS_API void pgas_lock(pgas_lock_t lock);

/** Takes the lock if no thread holds it. True if it was taken. A thread that tries in a loop is not
 *  in the queue, so it may never get the lock. */
PGAS_API bool pgas_lock_attempt(pgas_lock_t lock);

/**
 * Releases the lock. Releasing one that the thread does not hold ends the job; if the lock lies on
 * another node, perhaps after this has returned.
 *
 * Does not wait for the lock's node, unless so much is under way to it that the network takes no
 * more: another thread has the lock, or may take it, soon, whatever the calling one does then; with
 * PGAS_PROGRESS=poll the first such message to a thread of another node may leave only in the next
 * call of a thread of the lock's node.
 */
PGAS_API void pgas_unlock(pgas_lock_t lock);

PGAS_END_DECLS

#endif
