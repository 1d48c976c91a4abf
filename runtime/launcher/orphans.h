/**
 * Processes that outlive the thread that started them.
 */
#ifndef LAUNCHER_ORPHANS_H
#define LAUNCHER_ORPHANS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** True of a child that the launcher has started itself and waits for elsewhere. */
typedef bool (*orphans_own_t)(pid_t pid, const void *context);

/** Orphans that had to be killed: how many, and what the first is called, as the kernel has it. */
typedef struct orphans_killed {
    size_t count;
    char first[16];
} orphans_killed_t;

/** Makes the launcher the parent of its descendants whose own parents end. Call before it has
 *  children of its own: those that it has now, of a shell that has become the launcher by exec, are
 *  none of the job. If it cannot list them, it adopts nobody. */
void orphans_adopt(void);

/** Reaps, without waiting, the children of a launcher that adopts that have ended, but not those of
 *  which `is_own` with `context` is true: these keep their numbers. Nobody else does so while the
 *  job runs, and a job may start any number of background commands. True if some may be left: call
 *  again a little later. If false, all that had ended at the call have been reaped. */
bool orphans_reap(orphans_own_t is_own, const void *context);

/** Waits, a tenth of a second at most, until no orphan of the job runs: one that has closed its
 * output may be about to end by itself. Reaps those that have ended. `is_own` and `mark` as in the
 * other functions. */
void orphans_let_end(orphans_own_t is_own, const void *context, const char *mark);

/** Kills all other children of a launcher that adopts with SIGKILL and waits for them, half a
 * second at most. Call at the end of the job, when every child that is left is an orphan: of the
 * job, whose processes have `mark` (server_mark) in their environment; or, where the launcher has
 * inherited children, of one of these, which is left alone. Returns those that ended by SIGKILL. */
orphans_killed_t orphans_end(const char *mark);

#endif
