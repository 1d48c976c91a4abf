/**
 * The loops that multiply rows of a matrix without global addresses: that of v2 and v3, and the
 * local product of v4 and v5.
 */
#ifndef STREAM_ROW_LOOPS_H
#define STREAM_ROW_LOOPS_H

#include <stddef.h>

#include "job.h"
#include "sliced.h"

enum {
    /** Rows, and the local product. */
    STREAM_ROW_LOOPS = 2
};

/** A matrix in both forms, and vectors: x as a private copy, and the own part of a shared one. */
typedef struct stream_row_run {
    stream_rows_t rows;
    stream_sliced_t sliced;
    const double *x;
    const double *own_x;
    double *y;
} stream_row_run_t;

/** As in v2 and v3, with x; a stream_loop_t with a stream_row_run_t. */
void stream_multiply_rows(void *context, size_t count);

/** As in v4 and v5, with own_x; the same. */
void stream_multiply_slices(void *context, size_t count);

/** The two, in the order of names. */
extern const stream_loop_t stream_row_loops[STREAM_ROW_LOOPS];

#endif
