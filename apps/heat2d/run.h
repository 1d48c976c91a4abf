/**
 * Running a form of the exchange: prepare, measure, check.
 */
#ifndef HEAT_RUN_H
#define HEAT_RUN_H

#include "check.h"
#include "checkpoint.h"
#include "halo.h"

typedef struct heat_settings {
    /** Steps from the start of the field. */
    size_t iterations;
    /** Repetitions, each from the start; each gives one time. 32 bytes in each thread. */
    size_t repetitions;
    heat_stores_t stores;
    heat_start_t start;
    bool checked;
    /** Checkpoint after every so many steps, into this file; NULL: none. */
    const char *checkpoint;
    size_t checkpoint_every;
    /** The checkpoint to start from; NULL: from step 0. */
    const heat_restart_t *restart;
    /** The file for a picture of the last field; NULL: none. */
    const char *picture;
} heat_settings_t;

/** What one thread found. */
typedef struct heat_thread_result {
    heat_block_t block;
    /** Seconds per iteration in each part, the mean over all repetitions. */
    double part_seconds[HEAT_PARTS];
    /** Counted traffic of all exchanges of all repetitions. */
    pgas_stats_t traffic;
    /** True if every repetition counted exactly the traffic that the shape says. */
    bool traffic_as_predicted;
} heat_thread_result_t;

/** What all threads found. */
typedef struct heat_result {
    /** Seconds for all iterations that were computed, over the repetitions; of the parts, the
     *  slowest thread's. */
    common_spread_t total;
    common_spread_t parts[HEAT_PARTS];
    /** Steps that a repetition computed, and exchanges: fewer than the settings' after a restart.
     */
    size_t steps;
    size_t exchanges;
    /** The step it started from. */
    size_t first_step;
    bool streams;
    bool traffic_as_predicted;
    bool checked;
    /** Points that differ from the sequential solver's; known on thread 0 only. */
    size_t differing;
    /** How far a sine mode is from what the scheme makes of it; and the limit for rounding. */
    double mode_error;
    double mode_limit;
    /** How far the mode is from the differential equation's solution. */
    double solution_error;
    /** One per thread; free with free(). */
    heat_thread_result_t *threads;
} heat_result_t;

/** Runs a form on a problem. Collective. */
void heat_run(const heat_form_t *form, heat_problem_t *problem, const heat_settings_t *settings,
              heat_result_t *result);

/** True if nothing was found wrong. */
bool heat_result_passed(const heat_result_t *result);

#endif
