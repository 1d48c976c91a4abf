/**
 * The signals that fathom-run handles, read from a descriptor; and the signal dispositions of the
 * threads it starts.
 */
#ifndef LAUNCHER_SIGNALS_H
#define LAUNCHER_SIGNALS_H

#include <stdbool.h>

/** Blocks the signals that the launcher handles and returns a non-blocking descriptor from which
 *  they are read as struct signalfd_siginfo. SIGPIPE is ignored from here on; a SIGHUP ignored at
 * the start (nohup) stays ignored; the others count even then, as SIGINT does for a job that a
 *  script has started by `&`. Call while the process has a single thread of execution, so that
 * later ones inherit the mask. Logs a failure and returns -1 then. */
int signals_open(void);

/** Restores the signal mask that signals_open found, and default dispositions. For a child before
 *  exec; async-signal-safe. */
void signals_restore(void);

/** True if signal `number` ends the job. */
bool signals_end_job(int number);

#endif
