/**
 * What a row of a sparse product takes where the core's second-level cache holds the matrix, its
 * columns and all vectors, as it does in a job of many threads: with own columns, in the loop of v2
 * and v3 and in the local product of v4 and v5, all threads at once.
 */
#ifndef STREAM_CLOSE_ROWS_H
#define STREAM_CLOSE_ROWS_H

#include "rates.h"
#include "row_loops.h"
#include "sliced.h"

enum {
    STREAM_CLOSE_ROW_RATES = STREAM_ROW_LOOPS * STREAM_WIDTHS
};

typedef struct stream_close_rows {
    /** Whose arrays are used. */
    stream_rates_t *rates;
    /** The local product that is fastest with each width. */
    const spmv_product_t *sliced[STREAM_WIDTHS];
} stream_close_rows_t;

/** Prepares measurements with the arrays of `rates`, which must outlive it; nothing is to be freed.
 *  Collective; ends the job if there is no memory. */
void stream_close_rows_create(stream_rates_t *rates, stream_close_rows_t *rows);

/** Measures all, in the order of stream_close_row_name, in seconds per row. Whether the products
 *  were right, stream_rates_check tells. Collective; ends the job if there is no memory. */
void stream_close_rows_measure(const stream_close_rows_t *rows,
                               double seconds[STREAM_CLOSE_ROW_RATES]);

/** The name of a rate. */
const char *stream_close_row_name(int rate);

#endif
