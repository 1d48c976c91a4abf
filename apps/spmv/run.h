/**
 * Running a variant: prepare, check, measure.
 */
#ifndef SPMV_RUN_H
#define SPMV_RUN_H

#include <stdbool.h>

#include "check.h"
#include "variant.h"

typedef struct spmv_settings {
    /** Products per repetition. */
    size_t iterations;
    /** Repetitions; each gives one time. */
    size_t repetitions;
    /** Whether results keep their values. */
    bool keeps_values;
} spmv_settings_t;

/** What one thread found. */
typedef struct spmv_thread_result {
    /** Seconds per iteration in each part, the mean over all repetitions. */
    double part_seconds[SPMV_PARTS];
    /** Counted traffic of all iterations of all repetitions. */
    spmv_traffic_t traffic;
    /** True if every repetition counted exactly the traffic that the matrix says. */
    bool traffic_as_predicted;
    /** How the thread's rows are stored; all 0 where it uses the problem's. */
    spmv_storage_t storage;
} spmv_thread_result_t;

/** What all threads found. */
typedef struct spmv_result {
    const char *variant;
    /** Seconds per 1000 iterations, over the repetitions. */
    common_spread_t seconds_per_1000;
    /** Seconds of the one-time preparation. */
    double prepare_seconds;
    bool checked;
    /** The larger of the errors against the sequential product; 0 if not checked. */
    double error;
    /** Products from the start after which values overflow, as they must; 0: they do not, or it was
     *  not checked. */
    size_t overflow;
    /** Products that were compared from the start on. */
    size_t compared;
    /** All values after the last repetition, on thread 0 if settings ask for them, else NULL; free
     *  with free(). */
    double *values;
    bool traffic_as_predicted;
    /** How the rows of all threads are stored; `product` is NULL where they use the problem's. */
    spmv_storage_t storage;
    /** One per thread; free with free(). */
    spmv_thread_result_t *threads;
} spmv_result_t;

/**
 * Runs a variant on a problem. Collective. `check` comes from spmv_check_create; NULL: no check.
 */
void spmv_run(const spmv_variant_t *variant, spmv_problem_t *problem, const spmv_counts_t *counts,
              const spmv_settings_t *settings, spmv_check_t *check, spmv_result_t *result);

/** The products from the start that a check is to compare: enough for a value to wander through
 *  several threads, few enough for the sequential product. */
#define SPMV_CHECK_PRODUCTS 5

/** True if nothing was found wrong. */
bool spmv_result_passed(const spmv_result_t *result);

#endif
