/**
 * Barriers and fences.
 */
#ifndef PGAS_SYNC_H
#define PGAS_SYNC_H

#include <limits.h>

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** The id of an anonymous barrier phase: it matches every id. */
#define PGAS_ANONYMOUS INT_MIN

/** Waits until every thread of the job has arrived. Collective. Includes pgas_fence. It is
 * pgas_notify and pgas_wait in one, anonymous: others may call those two, with any id, in the same
 * phase. */
PGAS_API void pgas_barrier(void);

/**
 * The split-phase barrier: pgas_notify announces that the thread has arrived and returns at once;
 * pgas_wait returns when every thread has notified. Collective, in pairs; work that no other thread
 * depends on goes between them. With PGAS_PROGRESS=poll and several nodes a thread that computes
 * there passes on nothing, and others may wait for its next call. Both include a fence for what the
 * calling thread did before.
 *
 * `id` names the phase: different ids of two threads in the same phase end the job, and so does a
 * wait with another id than the thread's own notify. PGAS_ANONYMOUS matches every id. A second
 * notify, a wait without a notify, or a pgas_barrier between the two ends the job.
 */
PGAS_API void pgas_notify(int id);
PGAS_API void pgas_wait(int id);

/** Orders all loads, stores and copies of the calling thread before it before all those after it.
 *  Includes pgas_poll: a loop that waits for another thread's write must contain a fence, so that
 *  other threads are served, and a fence must follow it before what that write announces is read:
 *
 *    while (!PGAS_READ(int, flag))
 *        pgas_fence();
 *    pgas_fence();
 *
 *  Where threads outnumber processors, such a loop gives the core away now and then; so do those of
 *  pgas_poll, and of tests that find what they test not done (pgas_trysync, pgas_signal_test,
 *  pgas_lock_attempt). Not collective. */
PGAS_API void pgas_fence(void);

/** Runs the handlers of active messages that have come (am.h), a bounded number, and progresses the
 *  network in a job of several nodes. Waits for nothing. Not collective. */
PGAS_API void pgas_poll(void);

PGAS_END_DECLS

#endif
