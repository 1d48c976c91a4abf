/**
 * The end of the process by exit, or by a return of main.
 */
#ifndef PGASI_JOB_PROCESS_EXIT_H
#define PGASI_JOB_PROCESS_EXIT_H

/** From pgas_init on: a process that exits in a job of several nodes ends with its status before
 *  the destructors of the network's libraries run, which its other operating-system threads may be
 *  inside. What else exit does has been done. */
void pgasi_process_exit_watch(void);

/** The process ends as it does anyway, but with a failing status if it would end well: the program
 *  may still have results to write. */
void pgasi_process_exit_fail(void);

#endif
