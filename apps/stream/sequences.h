/**
 * What a line of x costs a sparse product that comes in sequence out of the second-level cache:
 * some row has fetched it into that before, and the hardware prefetches it. In the loop of v2 and
 * v3 and in the local product of v4 and v5, with the matrix in memory and where the thread's share
 * of the last-level cache holds it; all threads at once.
 *
 * Measured in rows of 16 off-diagonals, some of them in the columns of later rows. What these add
 * is little, and memory may become slower by more from one second to the next. So products with and
 * without them run in turns.
 */
#ifndef STREAM_SEQUENCES_H
#define STREAM_SEQUENCES_H

#include <stdint.h>

#include "rates.h"
#include "sliced.h"

enum {
    /** The matrix in memory, or held. */
    STREAM_SEQUENCE_PLACES = 2,
    /** Rows, and the local product. */
    STREAM_SEQUENCE_LOOPS = 2,
    STREAM_SEQUENCE_PRICES = STREAM_SEQUENCE_LOOPS * STREAM_SEQUENCE_PLACES
};

typedef struct stream_sequences {
    /** Whose arrays are used. */
    stream_rates_t *rates;
    /** Own columns; those in sequence are in rates->J. */
    int32_t *own_J;
    /** Lines that a row fetches in sequence, mean, by place. */
    double lines[STREAM_SEQUENCE_PLACES];
    /** The local product that is fastest with them. */
    const spmv_product_t *sliced[STREAM_SEQUENCE_PLACES];
} stream_sequences_t;

/** Prepares measurements with the arrays of `rates`, which must outlive it. Collective; ends the
 * job if there is no memory. */
void stream_sequences_create(stream_rates_t *rates, stream_sequences_t *sequences);

/** Frees it. Not collective. */
void stream_sequences_free(stream_sequences_t *sequences);

/** Measures all prices, in the order of stream_sequence_name, in seconds per line; 0 where no line
 *  comes in sequence, as if the size of the first-level cache is not known, or where they add
 *  nothing. Whether the products were right, stream_rates_check tells. Collective. */
void stream_sequences_measure(stream_sequences_t *sequences,
                              double seconds[STREAM_SEQUENCE_PRICES]);

/** The name of a price. */
const char *stream_sequence_name(int price);

#endif
