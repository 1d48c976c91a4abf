/**
 * A small job whose terms are easy to compute with by hand, for the tests of the formulas. Include
 * after cmocka.h.
 */
#ifndef PERFMODEL_TESTS_SMALL_JOB_H
#define PERFMODEL_TESTS_SMALL_JOB_H

#include "near.h"
#include "perfmodel/spmv.h"

/** Two nodes of two threads, 8 blocks of 100 rows with 16 off-diagonals. W_private = 1e9, W_remote
 * = 1e8, tau = 1e-5, a cache line of 64. A test may change any of them. */
extern model_layout_t layout;
extern model_counts_t counts[4];
extern model_machine_t machine;
/** The machine's medians. */
extern model_parameters_t parameters;

/** Makes the job anew; for cmocka_unit_test_setup. */
int small_job_prepare(void **state);

/** Gives the machine a parameter, from half of `value` to its double. */
void small_job_set(model_parameter_t parameter, double value);

/** All further parameters except those of the products: 1 ns per byte read as before, 2 ns per byte
 *  written. */
void small_job_add_all(void);

/** All rates of a kernel: rows of 16 off-diagonals take `row` seconds, half of that from the cache;
 *  each line takes `line` near, half of that close and ten times that far, however many there are.
 */
void small_job_add_rates(model_kernel_t kernel, double row, double line);

/** Predicts a variant; the caller frees the prediction. */
model_prediction_t small_job_predict(model_variant_t variant);

/** Fails the test unless `value` is `expected`, except for rounding. */
static inline void near(double value, double expected)
{
    assert_near(value, expected, 1e-9 * fabs(expected));
}

#endif
