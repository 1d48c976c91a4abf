/**
 * Starting one thread of the job: a process with its own group, pipes and processors.
 */
#ifndef LAUNCHER_SPAWN_H
#define LAUNCHER_SPAWN_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

/** How to start it. Everything stays the caller's. */
struct spawn_request {
    char **command; /**< the program, found through PATH, and its arguments */
    char **env; /**< its environment */
    const cpu_set_t *cpus; /**< its processors, NULL for the launcher's own */
    size_t cpus_nbytes; /**< length of `cpus` */
    bool wants_input; /**< a pipe for its standard input; else that is /dev/null */
    struct rlimit files; /**< its limit of open files */
};

/** What was started. The descriptors are the launcher's ends of pipes, non-blocking and closed on
 *  exec; the caller owns them. */
struct spawn_result {
    pid_t pid; /**< also the number of its process group */
    int in; /**< writes to its standard input, -1 without */
    int out; /**< reads its standard output */
    int err; /**< reads its standard error */
};

/** Which step failed. */
enum spawn_failure {
    SPAWN_OK,
    SPAWN_RESOURCES, /**< no pipe, process or memory */
    SPAWN_EXEC /**< the program cannot be run */
};

/**
 * Starts a process and waits until it runs its program. It gets SIGKILL when the launcher dies,
 * however that happens.
 *
 * @param result set only on success
 * @return SPAWN_OK, or what failed with the reason in errno; nothing is left running then.
 */
enum spawn_failure spawn_start(const struct spawn_request *request, struct spawn_result *result);

#endif
