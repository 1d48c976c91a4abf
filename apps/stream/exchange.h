/**
 * The cost of communication in programs that alternate between computing and communicating: from
 * main memory and to it, while the caches hold something else.
 *
 * Messages go between STREAM's arrays, at places where all threads have the same values; so nothing
 * changes, and stream_private_check detects any change.
 */
#ifndef STREAM_EXCHANGE_H
#define STREAM_EXCHANGE_H

#include "private.h"

/** Bytes of a long message, of a long read, and the fewest elements of an array: two messages. */
#define STREAM_MESSAGE_BYTES ((size_t)1 << 20)
#define STREAM_READ_BYTES ((size_t)64 << 10) /* MODEL_EXCHANGE_BYTES of perfmodel/machine.h */
#define STREAM_EXCHANGE_LEAST (2 * STREAM_MESSAGE_BYTES / sizeof(double))

typedef struct stream_exchange {
    /** In the shared heap. */
    stream_private_t *memory;
    /** Whether every thread has a partner on another node. */
    bool sends;
    /** Per thread: a signal; how many threads send to it, and how often they have done so. */
    pgas_ptr_t signals;
    uint64_t senders;
    uint64_t signalled;
    /** The element at which the next message begins. */
    size_t next;
} stream_exchange_t;

/** The cost of a step on the slowest thread; 0 without partners. */
typedef struct stream_exchange_times {
    /** Seconds of a blocking read of 8 bytes from another node. */
    double short_read;
    /** Seconds of such a read of STREAM_READ_BYTES. */
    double long_read;
    /** Seconds of a call of pgas_put_signal to another node, of so many bytes each: without the
     *  wait for a signal. */
    double short_send;
    double long_send;
} stream_exchange_times_t;

/** Prepares messages between every thread and its partner on another node, if all have one. The
 *  arrays in `memory`, of STREAM_EXCHANGE_LEAST elements or more, stay the caller's and must live
 *  as long. Collective; ends the job if there is no memory. */
void stream_exchange_create(stream_private_t *memory, stream_exchange_t *exchange);

/** Frees what create has allocated. Collective. */
void stream_exchange_free(stream_exchange_t *exchange);

/** The means of `steps` steps each with a short and a long read, and with a short and a long send:
 *  every thread runs the triad, waits in a barrier, and reads from its partner or sends to it.
 *  Collective. */
stream_exchange_times_t stream_exchange_measure(stream_exchange_t *exchange, size_t steps);

/** Seconds of a blocking put of STREAM_MESSAGE_BYTES to the partner, each from and to memory that
 *  earlier puts have not touched, `count` times on all threads at once. Collective. */
double stream_exchange_put(stream_exchange_t *exchange, size_t count);

/** The number of these puts that take `seconds`. Collective. */
size_t stream_exchange_put_fit(stream_exchange_t *exchange, double seconds);

#endif
