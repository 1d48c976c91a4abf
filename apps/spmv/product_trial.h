/**
 * Choosing a product by trying those that the processor has on some of the thread's own rows.
 *
 * Which is fastest depends on the processor, on how far apart a row's columns lie, and on whether
 * the caches hold x: nothing that could be known beforehand. All give the same bits, so that
 * nothing but time hangs on the choice.
 */
#ifndef SPMV_PRODUCT_TRIAL_H
#define SPMV_PRODUCT_TRIAL_H

#include "local_product.h"

/** Rows of one local matrix, and the vector that their columns count in. */
typedef struct spmv_trial_part {
    const spmv_rows_t *rows;
    const double *x;
} spmv_trial_part_t;

/** Where a thread's rows lie, on one thread each: D and A by their places, x and y that these count
 *  in. */
typedef struct spmv_trial_data {
    const double *D;
    const double *A;
    const double *own_x;
    double *own_y;
} spmv_trial_data_t;

/** Local matrices that stand for all of a thread's rows. */
#define SPMV_TRIAL_PARTS 2

/**
 * Finds the fastest product of those that all threads' processors can run. Collective; the same on
 * every thread: the one with which the slowest thread is fastest.
 *
 * A quarter of the rows is tried, from several places, but no more than some 130,000 of either
 * part. The products take turns, round by round; the least time of each piece counts, and of the
 * pieces the median. Those that are far behind are left out of later rounds. The caches are as in a
 * run. All this takes as long as some fifteen products with the whole matrix, and as much memory as
 * its quarter in four forms. `own_y` of the calling thread is
 * overwritten.
 */
const spmv_product_t *spmv_product_try(const spmv_trial_data_t *data,
                                       const spmv_trial_part_t parts[SPMV_TRIAL_PARTS]);

#endif
