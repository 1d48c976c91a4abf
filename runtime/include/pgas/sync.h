/**
 * Barriers and fences.
 */
#ifndef PGAS_SYNC_H
#define PGAS_SYNC_H

#include <limits.h>

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** The id of a barrier phase without a name: it matches every id. */
#define PGAS_ANONYMOUS INT_MIN

/** Waits until every thread of the job has called it. Collective. Includes pgas_fence. */
PGAS_API void pgas_barrier(void);

/**
 * The split-phase barrier: pgas_notify says "I have arrived" and returns at once; pgas_wait returns
 * when every thread has notified. Collective, in pairs; work that no other thread depends on goes
 * between them. Both include a fence for what the calling thread did before.
 *
 * `id` names the phase: two different ids given by two threads in the same phase, or a wait with
 * another id than the thread's own notify, end the job. PGAS_ANONYMOUS matches everything. A notify
 * after a notify, a wait without a notify, or a pgas_barrier between the two ends the job.
 */
PGAS_API void pgas_notify(int id);
PGAS_API void pgas_wait(int id);

/** Orders everything the calling thread did before it, loads, stores and copies, before everything
 *  it does after. In a job of several nodes it also serves what has come in from others, so that a
 *  loop that waits for another thread's write with a fence in it keeps nobody waiting. Not
 *  collective. */
PGAS_API void pgas_fence(void);

PGAS_END_DECLS

#endif
