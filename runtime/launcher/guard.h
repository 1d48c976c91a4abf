/**
 * A small process that outlives the launcher: when the launcher is killed, so that it cannot end
 * its job itself, the guard kills the threads' process groups and removes the names they left.
 *
 * The threads themselves die with the launcher by the kernel's doing; the guard is for what they
 * have started in turn.
 */
#ifndef LAUNCHER_GUARD_H
#define LAUNCHER_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

/** A running guard. */
struct guard {
    pid_t pid;
    int to; /**< write end of the pipe whose end tells the guard of the launcher's */
};

/** Starts a guard. Call while the process has a single thread, with the signals that end the job
 *  blocked. Returns false, logged, on failure. */
bool guard_start(struct guard *guard);

/** Tells it of a process group. */
void guard_watch(const struct guard *guard, pid_t group);

/** Ends it, harmless a second time; the groups are the launcher's own business from here on. Call
 * before their leaders are reaped. */
void guard_end(struct guard *guard);

#endif
