/**
 * The local product of v4 and v5 as fathom-spmv runs it: the one place that knows its interface.
 */
#ifndef STREAM_SLICED_H
#define STREAM_SLICED_H

#include <stddef.h>
#include <stdint.h>

#include "local_matrix.h"

/** A matrix in its form, with the kernel that it chooses. */
typedef struct stream_sliced {
    spmv_local_matrix_t matrix;
} stream_sliced_t;

/** Copies `rows` rows of a matrix with `width` off-diagonals each: `D` by row, `A` and `columns`
 * row by row, columns below 2^31. Nothing is needed after the call. Ends the job if there is no
 *  memory. */
void stream_sliced_create(const double *D, const double *A, const int32_t *columns, size_t rows,
                          size_t width, stream_sliced_t *sliced);

/** Multiplies: `y` receives the product with `x`. */
void stream_sliced_multiply(const stream_sliced_t *sliced, const double *x, double *y);

/** Frees the copy. */
void stream_sliced_free(stream_sliced_t *sliced);

#endif
