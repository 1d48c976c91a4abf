/**
 * Ending the job from one thread: pgasi_fatal, pgas_exit, pgas_fail.
 *
 * The first thread that ends the job says why, and its status counts. It asks the launcher to end
 * the job. A launcher whose own parts have lost each other may never do so: this thread and the
 * others of its node then end without it, a few seconds later.
 */
#ifndef PGASI_JOB_ENDING_H
#define PGASI_JOB_ENDING_H

/** Lets other nodes ask which thread ends the job. Between pgasi_net_init and pgasi_net_start. */
void pgasi_ending_serve(void);

#endif
