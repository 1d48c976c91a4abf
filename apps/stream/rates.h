/**
 * The cost of rows of sparse products, by their width and by where x comes from: for the loops of
 * v2 and v3, of v1 and of naive, and for the local product of v4 and v5, all threads at once.
 *
 * Each is measured with 4, 16, 64 and 128 off-diagonals per row, matrix and result in main memory
 * as far as the size of the problem puts them there. In the first kind of matrix every column is
 * the row's own; the second is the same, and so small that the thread's share of the last-level
 * cache holds it. In the others one column of every row, or all of them, are out of order in a part
 * of x that the core's second-level cache holds ("close"), that the thread's share of the
 * last-level cache holds ("near"), or that is several times as large as that ("far"). The lines of
 * x that these have to fetch are counted by the rule of the predictions (support/reuse.h).
 */
#ifndef STREAM_RATES_H
#define STREAM_RATES_H

#include <pgas/pgas.h>
#include <stdbool.h>
#include <stdint.h>

#include "rate_matrix.h"
#include "row_loops.h"
#include "sliced.h"
#include "support/reuse.h"

enum {
    /** Rows, the local product, by pointers; by pointers in blocks of a power of two; both kinds of
     *  pointers to two threads alternately, and one in ten to another one; naive. */
    STREAM_LOOPS = 9,
    /** Of the other loops only rows are measured: lines cost the same as by pointers. */
    STREAM_LINE_LOOPS = 3,
    /** Rounds whose times are kept. */
    STREAM_KEPT_ROUNDS = 64,
    STREAM_RATES =
        (STREAM_LINE_LOOPS * STREAM_COLUMNS + (STREAM_LOOPS - STREAM_LINE_LOOPS) * STREAM_ROWS) *
        STREAM_WIDTHS
};

typedef struct stream_rates {
    /** Of a matrix. */
    size_t nbytes;
    reuse_caches_t caches;
    /** A block of each for every thread, none of a power of two of elements: addresses take
     *  multiplications, as with most block sizes. */
    pgas_array_t shared_D;
    pgas_array_t shared_A;
    pgas_array_t shared_J;
    pgas_array_t shared_x;
    pgas_array_t shared_y;
    /** x again, as far as rows of own columns use it, in blocks of a power of two: an address then
     *  takes shifts. */
    pgas_array_t shifts_x;
    /** The thread's own part of these. */
    double *D;
    double *A;
    int32_t *J;
    double *own_x;
    double *y;
    double *own_shifts_x;
    /** Private, as in v2 and v3; as long as own_x. */
    double *x;
    size_t x_count;
    /** Lines that a row fetches, mean, by columns, width and place (reuse_place_t). */
    double lines[STREAM_COLUMNS][STREAM_WIDTHS][REUSE_PLACES];
    /** The same where every second off-diagonal uses another thread's x of the node, if there is
     *  one, as the loop by pointers does. */
    double lines_in_turns[STREAM_COLUMNS][STREAM_WIDTHS][REUSE_PLACES];
    /** The local product of v4 and v5 that is fastest with each. */
    const spmv_product_t *sliced[STREAM_COLUMNS][STREAM_WIDTHS];
    /** Seconds of a row in the first rounds. */
    double rounds[STREAM_COLUMNS][STREAM_WIDTHS][STREAM_LOOPS][STREAM_KEPT_ROUNDS];
    size_t round_count;
    /** True if all products were right. */
    bool right;
} stream_rates_t;

/** Allocates matrices of up to `nbytes` (formula (6)) per thread, but no more than two shares of
 *  the last-level cache have as v4 and v5 store them. The sizes of second level and share are
 *  known, not 0. Collective. */
void stream_rates_create(size_t nbytes, reuse_caches_t caches, stream_rates_t *rates);

/** Frees them. Collective. */
void stream_rates_free(stream_rates_t *rates);

/** Measures all rates, in the order of stream_rate_name: seconds of a row of own columns, in memory
 *  and in the cache, and seconds that a line fetched out of order adds. Each time is the median of
 *  a few. Collective. */
void stream_rates_measure(stream_rates_t *rates, double seconds[STREAM_RATES]);

/** The same from all measurements so far, at least one: from the least times of a row, since a
 *  disturbance of one of two times would look like a difference. Rows of accesses by pointers that
 *  go to one thread only come from the medians: there the core itself takes now so long and now
 *  another time, and the least is luck. Where a node has one thread, rows that elsewhere go to two
 *  in turns go to one as well, and count by the least all the same. Not collective. */
void stream_rates_best(const stream_rates_t *rates, double seconds[STREAM_RATES]);

/** Fills A for rows of that width. Not collective. */
void stream_rates_fill(const stream_rates_t *rates, size_t width);

/** Rows of that kind, as many as a matrix of up to `nbytes` has, with `width` off-diagonals each
 * and the values of `rates`; sets their columns in J. Not collective. */
stream_rows_t stream_rates_make_rows(const stream_rates_t *rates, size_t nbytes, size_t width,
                                     stream_kind_t kind, int32_t *J);

/** Such rows, also in the form of `product`, with the vectors of `rates`; stream_sliced_free frees
 *  that form. Not collective; ends the job if there is no memory. */
stream_row_run_t stream_rates_run(const stream_rates_t *rates, stream_rows_t rows,
                                  const spmv_product_t *product);

/** Notes whether these rows of y are what every product is. Not collective. */
void stream_rates_note(stream_rates_t *rates, size_t rows);

/** The name of a rate. */
const char *stream_rate_name(int rate);

/** True if all products on all threads were right. Collective. */
bool stream_rates_check(const stream_rates_t *rates);

#endif
