/**
 * What a line of x adds to a row of a sparse product that comes out of the second-level cache: in
 * sequence, with the matrix in memory and where the thread's share of the last level holds it (some
 * row has fetched the line before, and the hardware prefetches it), and out of order where the
 * matrix is held. In the loop of v2 and v3 and in the local product of v4 and v5, all threads at
 * once.
 *
 * Measured in rows of 16 off-diagonals. Memory may become slower by more from one second to the
 * next than such a line costs. So products with and without them run in turns.
 */
#ifndef STREAM_LINES_H
#define STREAM_LINES_H

#include <stdint.h>

#include "rates.h"
#include "row_loops.h"
#include "sliced.h"

enum {
    /** In sequence with the matrix in memory, and held; held, one of a row close, and all. */
    STREAM_LINE_KINDS = 4,
    STREAM_LINE_PRICES = STREAM_ROW_LOOPS * STREAM_LINE_KINDS
};

typedef struct stream_lines {
    /** Whose arrays are used. */
    stream_rates_t *rates;
    /** Own columns; the others are in rates->J. */
    int32_t *own_J;
    /** Lines that a row fetches from where they are to come from, mean. */
    double counts[STREAM_LINE_KINDS];
    /** The local product that is fastest with them. */
    const spmv_product_t *sliced[STREAM_LINE_KINDS];
} stream_lines_t;

/** Prepares measurements with the arrays of `rates`, which must outlive it. Collective; ends the
 * job if there is no memory. */
void stream_lines_create(stream_rates_t *rates, stream_lines_t *lines);

/** Frees it. Not collective. */
void stream_lines_free(stream_lines_t *lines);

/** Measures all prices, in the order of stream_line_name, in seconds per line; 0 where no line
 *  comes from there, as in sequence if the size of the first-level cache is not known, or where
 *  they add nothing. Whether the products were right, stream_rates_check tells. Collective. */
void stream_lines_measure(stream_lines_t *lines, double seconds[STREAM_LINE_PRICES]);

/** The name of a price. */
const char *stream_line_name(int price);

#endif
