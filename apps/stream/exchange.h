/**
 * Long messages that all threads send at once, from and to memory that no cache holds.
 *
 * Messages go between STREAM's arrays, at places where all threads have the same values; so nothing
 * changes, and stream_private_check detects any change.
 */
#ifndef STREAM_EXCHANGE_H
#define STREAM_EXCHANGE_H

#include "private.h"

/** Bytes of a message, and the fewest elements of an array: two messages. */
#define STREAM_MESSAGE_BYTES ((size_t)1 << 20)
#define STREAM_EXCHANGE_LEAST (2 * STREAM_MESSAGE_BYTES / sizeof(double))

typedef struct stream_exchange {
    /** In the shared heap, of STREAM_EXCHANGE_LEAST elements or more; the caller's. */
    stream_private_t *memory;
    /** The element at which the next message begins. */
    size_t next;
} stream_exchange_t;

/** Seconds of a blocking put of STREAM_MESSAGE_BYTES to the thread's partner on another node, which
 *  all must have, each from and to memory that earlier puts have not touched, `count` times on all
 *  threads at once. Collective. */
double stream_exchange_put(stream_exchange_t *exchange, size_t count);

/** The number of these puts that take `seconds`. Collective. */
size_t stream_exchange_put_fit(stream_exchange_t *exchange, double seconds);

#endif
