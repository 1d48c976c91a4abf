/**
 * The costs of operations that programs synchronise by: atomics, signals and active messages, by
 * the place of what they reach.
 */
#ifndef STREAM_PRICES_H
#define STREAM_PRICES_H

#include "atomics.h"
#include "signals.h"

/** What is measured of each place; in the order of model_price_t in perfmodel/machine.h. */
typedef enum stream_price {
    /** A blocking atomic operation that returns the old value, and one of many in flight. */
    STREAM_FETCH_LATENCY = 0,
    STREAM_FETCH_FLOOD,
    /** One that returns nothing. */
    STREAM_UPDATE_LATENCY,
    STREAM_UPDATE_FLOOD,
    /** A put of 8 bytes with its signal, from the call until the partner's wait for it ends, all
     *  threads in step; one of many; and one of STREAM_SIGNAL_LONG bytes. */
    STREAM_SIGNAL_LATENCY,
    STREAM_SIGNAL_FLOOD,
    STREAM_SIGNAL_BULK,
    /** One way of two threads that signal each other in turns; not of a thread with itself. */
    STREAM_SIGNAL_TURN,
    /** A short active message: half of a request and its reply, and one of many requests. */
    STREAM_AM_LATENCY,
    STREAM_AM_FLOOD,
    STREAM_PLACED_PRICES
} stream_price_t;

/** All prices: those of the places, `price` times PGAS_PLACES plus the place; a blocking atomic
 *  operation on memory of the node that no cache holds; one on a word that all threads of the node
 *  change; and one on random words, in caches, that all of them change. */
enum {
    STREAM_FETCH_FAR = STREAM_PLACED_PRICES * PGAS_PLACES,
    STREAM_FETCH_CONTENDED,
    STREAM_FETCH_SHARED,
    STREAM_PRICES
};

typedef struct stream_prices {
    stream_atomics_t atomics;
    stream_signals_t signals;
    /** Operations that are measured at a time. */
    size_t counts[STREAM_PRICES];
} stream_prices_t;

/** Prepares what the job can measure: about `slot` seconds for each price. `memory` as in
 *  atomics.h. Collective; ends the job if there is no memory. */
void stream_prices_create(stream_private_t *memory, double slot, stream_prices_t *prices);

/** Frees it. Collective. */
void stream_prices_free(stream_prices_t *prices);

/** The name of a price in the machine file. */
const char *stream_price_name(int price);

/** Whether every thread has a partner for a price; the same on every thread. */
bool stream_price_is_measured(int price);

/** Seconds per operation of every price that is measured and has a count; the others stay.
 *  Collective. */
void stream_prices_measure(stream_prices_t *prices, double seconds[STREAM_PRICES]);

/** True if all operations did what they had to. Collective. */
bool stream_prices_check(const stream_prices_t *prices);

#endif
