/**
 * Starting the threads of a job, one at a time.
 */
#ifndef LAUNCHER_JOB_START_H
#define LAUNCHER_JOB_START_H

#include "bind.h"
#include "job_state.h"

#include <sys/resource.h>

/** Warns if the program is linked with MPI. Call before the first thread starts. */
void job_check_program(job_t *job);

/**
 * Starts the next thread. If it cannot be started, says so in one line and kills the others.
 *
 * @param binding the threads' cores, or NULL
 * @param files   the limit of open files the threads get
 */
void job_start_next(job_t *job, const binding_t *binding, const struct rlimit *files);

#endif
