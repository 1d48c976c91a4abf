/**
 * The signals fathom-run takes, as a descriptor; and the dispositions its threads start with.
 */
#ifndef LAUNCHER_SIGNALS_H
#define LAUNCHER_SIGNALS_H

#include <stdbool.h>

/** Blocks the signals the launcher handles and returns a descriptor they are read from as struct
 *  signalfd_siginfo, non-blocking; SIGPIPE is ignored from here on. Call while the process has a
 *  single thread, so that later ones inherit it. A SIGHUP ignored at the start (nohup) stays
 *  ignored. Returns -1, logged, on failure. */
int signals_open(void);

/** Gives the calling process the mask signals_open found and default dispositions. For a child
 *  before exec: async-signal-safe. */
void signals_restore(void);

/** Whether `number` ends the job. */
bool signals_end_job(int number);

#endif
