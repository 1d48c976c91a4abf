/**
 * The check: compares the variants with a sequential product (Listing 1) on thread 0.
 *
 * Values that have overflowed say nothing about a program. So the check compares products that stay
 * finite; where a run's values are no longer finite, the sequential product tells whether that is
 * right.
 */
#ifndef SPMV_CHECK_H
#define SPMV_CHECK_H

#include "problem.h"

/** The largest relative error that passes: max |v - reference| / max |reference|. */
#define SPMV_CHECK_LIMIT 1e-12

/** The whole matrix on thread 0, and the result of several products from the start. */
typedef struct spmv_check spmv_check_t;

/** What a comparison found; the same on every thread. */
typedef struct spmv_verdict {
    /** Products from the start to the newest result. */
    size_t products;
    /** The relative error; HUGE_VAL where a value is not finite that should be. */
    double error;
    /** Products from the start after which values overflow; 0: they do not. The error is then 0. */
    size_t overflow;
} spmv_verdict_t;

/**
 * Reads the whole matrix from the problem's file on thread 0, and multiplies `products` times from
 * the start values, or fewer times if values would overflow. Collective; sets the problem to its
 * start. Ends the job with one line on bad input, or if the first product overflows already.
 */
spmv_check_t *spmv_check_create(spmv_problem_t *problem, size_t products);

/** How many products from the start spmv_check_from_start compares; at least 1. */
size_t spmv_check_products(const spmv_check_t *check);

/** Compares problem->x with spmv_check_products sequential products from the start values.
 *  Collective. */
spmv_verdict_t spmv_check_from_start(spmv_check_t *check, const spmv_problem_t *problem);

/**
 * Compares problem->x, the newest result, with the sequential product of problem->y, the one
 * before. Collective.
 *
 * @param products from the start to the newest result. If this result or the one before is not
 * finite, the check computes as many sequential products, until one is not finite either.
 */
spmv_verdict_t spmv_check_last_step(spmv_check_t *check, const spmv_problem_t *problem,
                                    size_t products);

/** Frees it; NULL is allowed. Collective. */
void spmv_check_free(spmv_check_t *check);

#endif
