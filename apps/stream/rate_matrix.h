/**
 * The matrices that rates of products are measured with: columns at random, how many of a row and
 * from how large a part of x.
 */
#ifndef STREAM_RATE_MATRIX_H
#define STREAM_RATE_MATRIX_H

#include "rates.h"

/** Which columns: none at random, or one of a row, or all, and where most of their lines come from;
 *  and how large a matrix. */
typedef struct stream_kind {
    reuse_place_t place;
    bool is_all;
    /** No larger than the thread's share of the last-level cache holds. */
    bool is_held;
} stream_kind_t;

enum {
    STREAM_WIDEST = 128
};

/** Off-diagonals of a row. */
extern const size_t stream_widths[STREAM_WIDTHS];

/** In the order of rates. */
extern const stream_kind_t stream_kinds[STREAM_COLUMNS];

/** Rows of such a matrix. */
size_t stream_row_count(const stream_rates_t *rates, size_t width, stream_kind_t kind);

/** Values of x between whose uses so many bytes come into the caches that the lines are close, or
 *  near. */
size_t stream_cached_values(reuse_caches_t caches, size_t width, stream_kind_t kind);

/** Values of x, several times as many as the thread's share of the last level holds. */
size_t stream_far_values(reuse_caches_t caches);

/** Sets the columns: the same every time. */
void stream_fill_columns(stream_rates_t *rates, size_t width, stream_kind_t kind);

/** Counts the lines that a row fetches out of order, on average, into rates->lines; `w` is the
 *  number of a width. Ends the job if there is no memory. */
void stream_count_lines(stream_rates_t *rates, int columns, int w);

#endif
