/**
 * Ending the job from one thread: pgasi_fatal, pgas_exit, pgas_fail.
 *
 * The first thread of the job to end it says why, and its status counts. It asks the launcher to
 * end the job; one that has lost the way to its own other half may never answer: this thread and
 * the others of its node then end without it, a few seconds later.
 */
#ifndef PGASI_JOB_ENDING_H
#define PGASI_JOB_ENDING_H

/** Serves the question who ends the job to other nodes. Between pgasi_net_init and pgasi_net_start.
 */
void pgasi_ending_serve(void);

#endif
