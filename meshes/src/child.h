/**
 * Child processes that end no later than the thread of execution that waits for them.
 */
#ifndef MESHES_SRC_CHILD_H
#define MESHES_SRC_CHILD_H

#include <sys/types.h>

#include "meshes/progress.h"

/**
 * Forks. The child is registered with mesh_temporaries_remove, with `grace` milliseconds to end by
 * itself (temporary_file.h), before anybody can know of it; it leads a process group of its own,
 * and is killed by the kernel when the calling thread of execution ends, however that comes about:
 * the caller waits with meshi_child_wait before it ends or makes another child.
 *
 * In the child all signals are blocked and none has a handler; those that were ignored still are,
 * but SIGCHLD, which the program does not ignore either until it has waited for the child.
 * What another thread of execution was doing at the moment of the fork is left half done there, as
 * after any fork.
 *
 * @return as fork(): 0 in the child, else the child's number, or -1 with errno set.
 */
pid_t meshi_child_fork(int grace);

/**
 * Starts a program in such a child, with an empty standard input and with its output and errors in
 * an open file. When this returns, it is known whether the program has started.
 *
 * @param args  the program, which is looked for in PATH, and its arguments; NULL ends them.
 * @param log   descriptor of the file, closed on exec.
 * @param owner of the temporary directory that the program works in (temporary_file.h): stays open
 *              in the program.
 * @param grace of meshi_child_fork.
 * @param child receives its number on success.
 * @return 0, or the errno that says why the program could not be started.
 */
int meshi_child_start(char *const *args, int log, int owner, int grace, pid_t *child);

/** The status of a child that another part of the program has waited for. It is neither WIFEXITED
 *  nor WIFSIGNALED. */
#define MESHI_CHILD_UNKNOWN (-1)

/** Waits for the child, forgets it and returns its status as waitpid gives it, or
 *  MESHI_CHILD_UNKNOWN. `progress` is told of `stage` every 20 ms; NULL for none. */
int meshi_child_wait(pid_t child, const char *stage, const mesh_progress_t *progress);

#endif
