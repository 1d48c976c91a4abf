/**
 * The local product of v4 and v5 as fathom-spmv runs it: the one place that knows its interface.
 */
#ifndef STREAM_SLICED_H
#define STREAM_SLICED_H

#include <stddef.h>
#include <stdint.h>

#include "local_product.h"

/** Rows with `width` off-diagonals each: D by row, A and columns row by row, columns below 2^31. */
typedef struct stream_rows {
    const double *D;
    const double *A;
    const int32_t *columns;
    size_t count;
    size_t width;
} stream_rows_t;

/** A matrix in the form of its product. */
typedef struct stream_sliced {
    spmv_local_matrix_t matrix;
    const spmv_product_t *product;
} stream_sliced_t;

/** The fastest product, found by trying all as fathom-spmv does (product_trial.h); the same on
 * every thread. `y` is overwritten. Collective; ends the job if there is no memory. */
const spmv_product_t *stream_sliced_choose(const stream_rows_t *rows, const double *x, double *y);

/** Copies the rows into the form of a product. Nothing is needed after the call. Not collective;
 *  ends the job if there is no memory. */
void stream_sliced_create(const stream_rows_t *rows, const spmv_product_t *product,
                          stream_sliced_t *sliced);

/** Multiplies: `y` receives the product with `x`. */
void stream_sliced_multiply(const stream_sliced_t *sliced, const double *x, double *y);

/** Frees the copy. */
void stream_sliced_free(stream_sliced_t *sliced);

#endif
