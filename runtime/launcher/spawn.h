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

/** How to start the process. The caller keeps everything. */
typedef struct spawn_request {
    /** The program, found through PATH, and its arguments. */
    char **command;
    /** The environment of the process. */
    char **env;
    /** The processors it may run on; NULL: those of the launcher. */
    const cpu_set_t *cpus;
    /** Length of `cpus`. */
    size_t cpus_nbytes;
    /** Its standard input is a pipe; else it is /dev/null. */
    bool wants_input;
    /** Its limit of open files. */
    struct rlimit files;
} spawn_request_t;

/** What was started. The descriptors are the launcher's ends of pipes, non-blocking and closed on
 *  exec; the caller owns them. */
typedef struct spawn_result {
    /** Process number, and number of the process group. */
    pid_t pid;
    /** Writes to its standard input; -1 if that is no pipe. */
    int in;
    /** Reads its standard output. */
    int out;
    /** Reads its standard error. */
    int err;
} spawn_result_t;

/** The step that failed. */
typedef enum spawn_failure {
    SPAWN_OK,
    /** No pipe, process or memory was available. */
    SPAWN_RESOURCES,
    /** The process has no standard input, output or error. */
    SPAWN_INPUT,
    /** It cannot be bound. */
    SPAWN_BIND,
    /** The program cannot be run. */
    SPAWN_EXEC
} spawn_failure_t;

/**
 * Starts a process and waits until it runs its program. The kernel kills it when the launcher ends
 * for whatever reason.
 *
 * @param result set only on success
 * @return SPAWN_OK, or what failed with the reason in errno; nothing is left running then.
 */
spawn_failure_t spawn_start(const spawn_request_t *request, spawn_result_t *result);

#endif
