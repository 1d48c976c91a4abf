/**
 * How much of a matrix the last-level cache still has when the next product comes to it: what a row
 * takes in matrices of a half to two of a thread's shares, all threads at once.
 *
 * A cache keeps part of a matrix that is somewhat larger than itself, and does not keep all of one
 * that is just as large (docs/decisions.md, 139). How large the parts are depends on what it drops
 * first, on what else lies in it, and on who else uses it.
 */
#ifndef STREAM_KEPT_ROWS_H
#define STREAM_KEPT_ROWS_H

#include <stdbool.h>

#include "rates.h"

enum {
    /** A half, one, one and a half and two shares, vectors included. */
    STREAM_KEPT_ROW_SIZES = 4
};

/** Whether the arrays of `rates` have room for the largest of them. */
bool stream_kept_rows_fit(const stream_rates_t *rates);

/** Measures all, in the order of stream_kept_row_name: seconds of a row of 16 own columns by the
 *  loop of v2 and v3, with the arrays of `rates`, in which they fit. Whether the products were
 *  right, stream_rates_check tells. Collective. */
void stream_kept_rows_measure(stream_rates_t *rates, double seconds[STREAM_KEPT_ROW_SIZES]);

/** The name of a time. */
const char *stream_kept_row_name(int size);

#endif
