/**
 * Names in /dev/shm that a job left when it ended.
 *
 * With PGAS_SEGMENT=posix the leader of a node makes "/fathom-PID-COOKIE", PID being the
 * launcher's, and removes the name when all threads have mapped it (runtime/src/node/segment.h).
 * When it is killed in between the name stays, and with it the memory. UCX's transport posix does
 * the same with names by which nobody can tell whose they are. So the launcher gives UCX a
 * directory of the job's own, with a name of that kind.
 */
#ifndef LAUNCHER_NAMES_H
#define LAUNCHER_NAMES_H

#include <sys/types.h>

/** Removes the names, and the directories with all that is in them, of a job of launcher `pid`.
 * Call when its threads are gone, as long as the number is not reused. Names of other users stay.
 */
void names_remove(pid_t pid);

/** Removes the directories for UCX, with all that is in them, of launchers that are gone: they and
 *  their reapers have been killed. Directories of other users stay. */
void names_remove_abandoned(void);

/** Makes the calling process's directory for UCX, and tells the threads that are started from now
 *  on, unless the user has named one (UCX_POSIX_DIR) or the job leaves UCX's memory alone. */
void names_gather_ucx(void);

#endif
