/**
 * The end of the process by exit, or by a return of main.
 */
#ifndef PGASI_JOB_PROCESS_EXIT_H
#define PGASI_JOB_PROCESS_EXIT_H

/** From here on in a job of several nodes: while one thread exits without pgas_finalize, others may
 *  be inside libraries of the network, whose destructors run. Where one of these crashes by that
 *  the process ends at once with the status of the exit, in place of the crash's. */
void pgasi_process_exit_watch(void);

/** The process ends as it does anyway, but with a failing status if it would end well: the program
 *  may still have results to write. */
void pgasi_process_exit_fail(void);

/** The status with which the process ends that was to end with `status`. */
int pgasi_process_exit_status(int status);

#endif
