/**
 * Running one job: starts its threads, serves them until the last has ended, and cleans up.
 */
#ifndef LAUNCHER_JOB_H
#define LAUNCHER_JOB_H

#include "bind.h"
#include "options.h"

#include <sys/resource.h>

/**
 * Runs the job to its end. If the job failed, or its PMIx server does not stop, the call ends the
 * process with the same status instead of returning: see server_close.
 *
 * @param options what to run
 * @param binding the threads' cores, or NULL
 * @param files   the limit of open files the threads get
 * @return the exit status of the program: 0 when every thread ended with 0; else the status of the
 *         first thread that failed, 128 plus the signal that ended a thread or the launcher, the
 *         status given to PMIx_Abort, 127 or 126 when the program cannot be run. What ended a job
 *         early has been said in one line on standard error, except that a program that gave up
 *         before any thread had joined the job is left to say so itself.
 */
int job_run(const options_t *options, const binding_t *binding, const struct rlimit *files);

#endif
