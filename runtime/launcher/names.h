/**
 * Names in /dev/shm that a dead thread has left.
 *
 * With PGAS_SEGMENT=posix the leader of a node makes "/fathom-PID-COOKIE" and removes the name when
 * all threads have mapped it (runtime/src/node/segment.h). When it is killed in between the name
 * stays, and with it the memory.
 */
#ifndef LAUNCHER_NAMES_H
#define LAUNCHER_NAMES_H

#include <sys/types.h>

/** Removes what the thread of process `pid` has left. Only for a thread that is dead, or killed and
 *  about to be; while the number is its own. Names of other users stay. */
void names_remove(pid_t pid);

#endif
