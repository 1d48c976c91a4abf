/**
 * The state of a calibration: what is measured, round by round, and its results. Internal to
 * calibrate.h.
 */
#ifndef STREAM_CALIBRATION_H
#define STREAM_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>

#include "access.h"
#include "close_rows.h"
#include "exchange.h"
#include "field.h"
#include "kept_rows.h"
#include "lines.h"
#include "pingpong.h"
#include "prices.h"
#include "private.h"
#include "product.h"
#include "rates.h"
#include "rounds.h"
#include "support/reuse.h"
#include "vectors.h"

enum {
    /** Bytes of a short and of a long message. */
    STREAM_SMALL = 8,
    STREAM_LARGE = 1 << 20
};

/** What is measured, in this order. */
typedef enum parameter {
    PRIVATE_BANDWIDTH = 0,
    REMOTE_BANDWIDTH,
    REMOTE_LATENCY,
    PRIVATE_READ_BANDWIDTH,
    PRIVATE_SCALE_BANDWIDTH,
    PRIVATE_COPY_BANDWIDTH,
    PRODUCT_BANDWIDTH,
    GATHER_ACCESS,
    BARRIER_LATENCY,
    MESSAGE_LATENCY,
    POINTER_ACCESS,
    PRODUCT_ACCESS,
    LOCAL_ACCESS,
    LOCAL_ACCESS_CACHED,
    AFFINITY_TEST,
    REMOTE_BANDWIDTH_SHARED,
    HEAT_POINT,
    HEAT_STREAMING_POINT,
    HEAT_FIRST_ROW,
    HEAT_LAST_ROW,
    HEAT_FIRST_GET,
    COLUMN_ACCESS,
    NARROW_COLUMN_ACCESS,
    EXCHANGE_LATENCY,
    EXCHANGE_BANDWIDTH,
    EXCHANGE_SEND,
    EXCHANGE_SEND_BANDWIDTH,
    BLOCK_LATENCY,
    TABLE,
    /** From TABLE on the rates of products, from LINES on the prices of lines that are measured in
     *  turns, from CLOSE_ROWS on the rates of rows from the second-level cache, from KEPT_ROWS on
     *  those of matrices that the last level keeps in part, from MOVES on those of moves between
     *  products, from OPERATIONS on the prices of atomics, signals and active messages, and from
     *  ROUNDS on those of what collectives are made of. */
    LINES = TABLE + STREAM_RATES,
    CLOSE_ROWS = LINES + STREAM_LINE_PRICES,
    KEPT_ROWS = CLOSE_ROWS + STREAM_CLOSE_ROW_RATES,
    MOVES = KEPT_ROWS + STREAM_KEPT_ROW_SIZES,
    OPERATIONS = MOVES + STREAM_MOVE_RATES,
    ROUNDS = OPERATIONS + STREAM_PRICES,
    PARAMETERS = ROUNDS + STREAM_ROUND_PRICES
} parameter_t;

typedef struct stream_calibration {
    bool several_threads;
    bool remote;
    bool knows_caches;
    reuse_caches_t caches;
    stream_private_t memory;
    /** Bytes per second. */
    double fastest_triad;
    stream_rates_t rates;
    stream_lines_t lines;
    stream_close_rows_t close_rows;
    stream_product_t product;
    stream_vectors_t vectors;
    stream_prices_t prices;
    stream_rounds_t rounds;
    stream_exchange_t exchange;
    stream_field_t field;
    stream_pointers_t pointers;
    stream_reads_t far_reads;
    stream_reads_t local_reads;
    stream_reads_t cached_reads;
    stream_pingpong_t messages;
    size_t small_rounds;
    size_t large_rounds;
    size_t small_puts;
    size_t large_puts;
    size_t barriers;
    /** The results of this round so far. */
    double now[PARAMETERS];
    stream_product_times_t products;
    stream_exchange_times_t steps;
    stream_field_times_t field_times;
} stream_calibration_t;

/**
 * Prepares what the job can measure. Collective; ends the job if there is no memory.
 *
 * @param elements per thread of each array that must exceed the caches; 0: twice the last level.
 * @param slot     about what a parameter may take in a round, in seconds.
 */
void stream_calibration_create(size_t elements, double slot, stream_calibration_t *calibration);

/** Frees it. Collective. */
void stream_calibration_free(stream_calibration_t *calibration);

/** Ends the job with one line if a measured computation or transfer went wrong. Collective. */
void stream_calibration_check(stream_calibration_t *calibration);

/** `count` barriers; a stream_loop_t. */
void stream_calibration_barriers(void *context, size_t count);

/** The name of a parameter, below PARAMETERS. */
const char *stream_parameter_name(int parameter);

/** For people: the unit, and what to multiply a value in SI units with. */
const char *stream_parameter_unit(int parameter, double *scale);

/** Whether the job can measure a parameter. */
bool stream_parameter_is_measured(const stream_calibration_t *calibration, int parameter);

/** Measures every parameter once, into `now`. Collective. */
void stream_parameters_measure(stream_calibration_t *calibration);

#endif
