/**
 * The matrices that rates of products are measured with: columns out of order, how many of a row
 * and from how large a part of x, or in sequence.
 *
 * Close columns go round the lines of their part of x, in an order without pattern that is the same
 * in every round: so the same number of bytes lies between any two uses of a line, and all come
 * from the second level. At random, as near and far ones are, some uses follow soon and some late,
 * and one close line in eight would come from the last level.
 */
#ifndef STREAM_RATE_MATRIX_H
#define STREAM_RATE_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/reuse.h"

/** Which columns: none but own ones, or some in sequence, or one of a row or all out of order, and
 *  where their lines come from; and how large a matrix. */
typedef struct stream_kind {
    reuse_place_t place;
    bool is_all;
    /** No larger than the thread's share of the last-level cache holds. */
    bool is_held;
} stream_kind_t;

enum {
    STREAM_WIDTHS = 4,
    STREAM_WIDEST = 128,
    /** A row of own columns, the same in the cache, then one and all close, near and far. */
    STREAM_COLUMNS = 8,
    /** The first two. */
    STREAM_ROWS = 2
};

/** The names of rates by width. */
#define STREAM_WIDTHS_OF(name) name "_4", name "_16", name "_64", name "_128"

/** Off-diagonals of a row. */
extern const size_t stream_widths[STREAM_WIDTHS];

/** In the order of rates. */
extern const stream_kind_t stream_kinds[STREAM_COLUMNS];

/** Rows of a matrix of up to `nbytes` (formula (6)). */
size_t stream_row_count(size_t nbytes, reuse_caches_t caches, size_t width, stream_kind_t kind);

/** Values of x of matrices of up to `nbytes` between whose uses so many bytes come into the caches
 *  that the lines are close, or near. */
size_t stream_cached_values(size_t nbytes, reuse_caches_t caches, size_t width, stream_kind_t kind);

/** Values of x, several times as many as the thread's share of the last level holds. */
size_t stream_far_values(reuse_caches_t caches);

/** Sets the columns of matrices of up to `nbytes`: the same every time. */
void stream_fill_columns(size_t nbytes, reuse_caches_t caches, size_t rows, size_t width,
                         stream_kind_t kind, int32_t *J);

/** Whether off-diagonal `e` of a matrix is one of those that go to the partner: every second one,
 * or one in so many; 0: none. */
bool stream_goes_to_partner(size_t e, uint32_t others);

/** Counts the lines that a row fetches, on average, by place (reuse_place_t; held ones are left
 *  out), where such off-diagonals use the same columns of the partner's x. Ends the job if there is
 *  no memory. */
void stream_count_lines(size_t nbytes, reuse_caches_t caches, size_t rows, size_t width,
                        stream_kind_t kind, const int32_t *J, uint32_t others,
                        double lines[REUSE_PLACES]);

#endif
