/**
 * Starting the threads of a job.
 */
#ifndef LAUNCHER_JOB_START_H
#define LAUNCHER_JOB_START_H

#include "bind.h"
#include "job_state.h"

#include <sys/resource.h>

/**
 * Starts all threads; warns first if the program is linked with MPI. If one cannot be started, it
 * says so in one line and kills the others.
 *
 * @param binding the threads' cores, or NULL
 * @param files   the limit of open files the threads get
 */
void job_start(job_t *job, const binding_t *binding, const struct rlimit *files);

#endif
