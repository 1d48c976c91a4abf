/**
 * A small process that outlives the launcher. If the launcher is killed and so cannot end its job
 * itself, the reaper kills the threads' process groups and removes the names they left.
 *
 * The kernel ends the threads themselves with the launcher; the reaper is for the processes that
 * they have started.
 */
#ifndef LAUNCHER_REAPER_H
#define LAUNCHER_REAPER_H

#include <stdbool.h>
#include <sys/types.h>

/** A running reaper. */
typedef struct reaper {
    pid_t pid;
    /** Write end of a pipe. When it closes, the reaper knows that the launcher has ended. */
    int to;
} reaper_t;

/** Starts a reaper. Call while the process has a single thread of execution, with the signals that
 *  end the job blocked. Logs a failure and returns false then. */
bool reaper_start(reaper_t *reaper);

/** Adds a process group to those that the reaper kills. */
void reaper_watch(const reaper_t *reaper, pid_t group);

/** Ends the reaper; harmless a second time. From here on the launcher itself must end the groups.
 *  Call before their leaders are reaped. */
void reaper_end(reaper_t *reaper);

#endif
