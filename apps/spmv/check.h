/**
 * The check: what the variants compute against a sequential product (Listing 1) on thread 0.
 */
#ifndef SPMV_CHECK_H
#define SPMV_CHECK_H

#include "problem.h"

/** The largest relative error that passes: max |v - reference| / max |reference|. */
#define SPMV_CHECK_LIMIT 1e-12

/** The whole matrix on thread 0; nothing on the others. */
typedef struct spmv_check spmv_check_t;

/** Reads the whole matrix on thread 0. Collective. Bad input ends the job with one line. */
spmv_check_t *spmv_check_create(const char *path, const spmv_problem_t *problem);

/**
 * Compares problem->x with `iterations` sequential products from the start values. Collective.
 * Returns the relative error on thread 0, 0 on the others.
 */
double spmv_check_from_start(spmv_check_t *check, const spmv_problem_t *problem, size_t iterations);

/** Compares problem->x, the newest result, with the sequential product of problem->y, the one
 * before. Collective. Returns as spmv_check_from_start. */
double spmv_check_last_step(spmv_check_t *check, const spmv_problem_t *problem);

void spmv_check_free(spmv_check_t *check);

#endif
