/**
 * What happens to the threads of a job: what the PMIx server reports of them, how they end, and
 * what that means for the job.
 */
#ifndef LAUNCHER_JOB_EVENTS_H
#define LAUNCHER_JOB_EVENTS_H

#include "job_state.h"

/** Acts upon all events that wait in the server's queue. */
void job_take_server_events(job_t *job);

/** Finds the threads that have ended. */
void job_take_endings(job_t *job);

/** Judges the threads that have ended, once it is clear how, and those of which only what has
 * started them is left. While some are not yet judged, it must be called again after
 * job_events_timeout, and else now and then. */
void job_judge_endings(job_t *job);

/** Milliseconds until job_judge_endings must be called again, whatever happens; -1: no need. */
int job_events_timeout(const job_t *job);

#endif
