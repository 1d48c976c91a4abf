/**
 * Chooses a product by trying all that the processor can run on some of the thread's own rows.
 *
 * Which is fastest depends on the processor, on how far apart a row's columns lie, and on whether
 * the caches hold x: none of it can be known beforehand. All give the same bits, so the choice
 * affects only time.
 */
#ifndef SPMV_PRODUCT_TRIAL_H
#define SPMV_PRODUCT_TRIAL_H

#include "local_product.h"

/** Rows of one local matrix, and the vector that their columns index. */
typedef struct spmv_trial_part {
    const spmv_rows_t *rows;
    const double *x;
} spmv_trial_part_t;

/** Where a thread's rows lie: D and A by place, and x and y, which the places index. */
typedef struct spmv_trial_data {
    const double *D;
    const double *A;
    const double *own_x;
    double *own_y;
} spmv_trial_data_t;

/** Local matrices that together hold all of a thread's rows. */
#define SPMV_TRIAL_PARTS 2

/**
 * Finds the fastest of the products that all threads' processors can run. Collective; the same on
 * every thread: the one with which the slowest thread is fastest.
 *
 * The trial uses a quarter of the rows, from several places, but no more than some 65,000 of
 * either part. The products alternate, round by round; the least time of each piece counts, and the
 * median of the pieces. Products that are much slower are left out of later rounds. The caches are
 * as in a run. All this takes as long as 30 to 150 products with the whole matrix, much of it
 * for laying the sample out, and the memory of a quarter of the matrix in four forms. `own_y` of
 * the calling thread is overwritten.
 */
const spmv_product_t *spmv_product_try(const spmv_trial_data_t *data,
                                       const spmv_trial_part_t parts[SPMV_TRIAL_PARTS]);

#endif
