/**
 * The signals that fathom-run handles, read from a descriptor; and the signal dispositions of the
 * threads it starts.
 */
#ifndef LAUNCHER_SIGNALS_H
#define LAUNCHER_SIGNALS_H

#include <stdbool.h>

/** Blocks the signals that the launcher handles and returns a non-blocking descriptor from which
 *  they are read as struct signalfd_siginfo. SIGPIPE is ignored from here on. A SIGHUP, SIGINT,
 *  SIGQUIT or SIGTSTP that was ignored when the launcher was started (by nohup, or by a script that
 *  has started it by `&`) stays ignored, as it would be in the program. The others count even then:
 *  SIGTERM ends every job, and what is passed on may have a handler. Call while the process has a
 *  single thread of execution, so that later ones inherit the mask. Logs a failure and returns -1
 *  then. */
int signals_open(void);

/** Restores the signal mask that signals_open found and the dispositions that the launcher was
 *  started with: ignored, or the default. For a child before exec; async-signal-safe. */
void signals_restore(void);

/** True if signal `number` ends the job. */
bool signals_end_job(int number);

#endif
