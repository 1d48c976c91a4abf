/**
 * Names in /dev/shm that a thread left when it ended.
 *
 * With PGAS_SEGMENT=posix the leader of a node makes "/fathom-PID-COOKIE" and removes the name when
 * all threads have mapped it (runtime/src/node/segment.h). When it is killed in between the name
 * stays, and with it the memory.
 */
#ifndef LAUNCHER_NAMES_H
#define LAUNCHER_NAMES_H

#include <sys/types.h>

/** Removes the names that process `pid` left. Call for a thread that has ended, or has been killed,
 *  as long as its process number is not reused. Names of other users stay. */
void names_remove(pid_t pid);

#endif
