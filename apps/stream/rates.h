/**
 * The cost of rows of sparse products, by their width and by where x comes from: for the loops of
 * v2 and v3, of v1 and of naive, and for the local product of v4 and v5, all threads at once.
 *
 * Each is measured with 4, 16 and 64 off-diagonals per row, matrix and result in main memory as far
 * as the size of the problem puts them there. In the first kind of matrix every column is the row's
 * own; the second is the same, and so small that the thread's share of the last-level cache holds
 * it. In the others one column of every row, or all of them, are drawn at random from a part of x
 * that the thread's share of the last-level cache holds ("near"), or that is several times as large
 * as that ("far"). The lines of x that these have to fetch are counted by the rule of the
 * predictions (support/reuse.h).
 */
#ifndef STREAM_RATES_H
#define STREAM_RATES_H

#include <pgas/pgas.h>
#include <stdbool.h>
#include <stdint.h>

#include "sliced.h"

enum {
    /** Rows, the local product, by pointers, the same to two threads alternately, naive. */
    STREAM_LOOPS = 5,
    STREAM_WIDTHS = 3,
    /** A row of own columns, the same in the cache, then near one, near all, far one, far all. */
    STREAM_COLUMNS = 6,
    /** Of the last two loops only rows are measured: lines cost the same as by pointers. */
    STREAM_LINE_LOOPS = 3,
    STREAM_ROWS = 2,
    STREAM_RATES =
        (STREAM_LINE_LOOPS * STREAM_COLUMNS + (STREAM_LOOPS - STREAM_LINE_LOOPS) * STREAM_ROWS) *
        STREAM_WIDTHS
};

/** The caches of a thread, in bytes: its core's second level, its share of the last level. */
typedef struct stream_caches {
    size_t second_level;
    size_t share;
} stream_caches_t;

typedef struct stream_rates {
    /** Of a matrix. */
    size_t nbytes;
    stream_caches_t caches;
    /** A block of each for every thread, none of a power of two of elements: addresses take
     *  multiplications, as with most block sizes. */
    pgas_array_t shared_D;
    pgas_array_t shared_A;
    pgas_array_t shared_J;
    pgas_array_t shared_x;
    pgas_array_t shared_y;
    /** x again, as far as rows of own columns use it, in blocks of a power of two: as small blocks
     *  mostly are, and only those have many accesses to others. */
    pgas_array_t turns_x;
    /** The thread's own part of these. */
    double *D;
    double *A;
    int32_t *J;
    double *own_x;
    double *y;
    double *own_turns_x;
    /** Private, as in v2 and v3; as long as own_x. */
    double *x;
    size_t x_count;
    /** By columns and width: lines that a row of it fetches out of order, mean; and those of them
     *  that come from memory. */
    double row_lines[STREAM_COLUMNS][STREAM_WIDTHS];
    double far_lines[STREAM_COLUMNS][STREAM_WIDTHS];
    /** The local product of v4 and v5 that is fastest with each. */
    const spmv_product_t *sliced[STREAM_COLUMNS][STREAM_WIDTHS];
    /** Least seconds of a row so far: a disturbance of one of two times would look like a
     *  difference. */
    double least[STREAM_COLUMNS][STREAM_WIDTHS][STREAM_LOOPS];
    /** True if all products were right. */
    bool right;
} stream_rates_t;

/** Allocates matrices of up to `nbytes` (formula (6)) per thread, but no more than two shares of
 *  the last-level cache. Both sizes of caches are known, not 0. Collective. */
void stream_rates_create(size_t nbytes, stream_caches_t caches, stream_rates_t *rates);

/** Frees them. Collective. */
void stream_rates_free(stream_rates_t *rates);

/** Measures all rates, the least of all times so far, in the order of stream_rate_name: seconds of
 * a row of own columns, in memory and in the cache, and seconds that a line fetched out of order
 * adds. Collective. */
void stream_rates_measure(stream_rates_t *rates, double seconds[STREAM_RATES]);

/** The name of a rate. */
const char *stream_rate_name(int rate);

/** True if all products on all threads were right. Collective. */
bool stream_rates_check(const stream_rates_t *rates);

#endif
