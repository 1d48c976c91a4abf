#include "exchange.h"

#include <math.h>

#include "common/timing.h"
#include "job.h"

enum {
    LINE_BYTES = 64,
    LINE = LINE_BYTES / sizeof(double)
};

/* The place of the next message: in the lines after the previous message, cyclically. */
static size_t next_place(stream_exchange_t *exchange, size_t nbytes)
{
    size_t lines = (nbytes + LINE_BYTES - 1) / LINE_BYTES;
    size_t place = exchange->next;
    if (place + lines * LINE > exchange->memory->count)
        place = 0;
    exchange->next = place + lines * LINE;
    return place;
}

void stream_exchange_create(stream_private_t *memory, stream_exchange_t *exchange)
{
    *exchange = (stream_exchange_t){
        .memory = memory,
        .sends = stream_has_partners(PGAS_REMOTE),
    };
}

static void read_from_partner(stream_exchange_t *exchange, size_t nbytes)
{
    if (!exchange->sends)
        return;
    double *array = exchange->memory->arrays.c;
    size_t index = next_place(exchange, nbytes);
    int partner = stream_partner(pgas_mythread(), PGAS_REMOTE);
    pgas_memget(&array[index], stream_private_of(exchange->memory, partner, array, index), nbytes);
}

/* Seconds of the read in a step. */
static double step(stream_exchange_t *exchange, size_t nbytes)
{
    stream_private_run(exchange->memory, STREAM_TRIAD);
    pgas_barrier();
    double start = common_seconds();
    read_from_partner(exchange, nbytes);
    return common_seconds() - start;
}

stream_exchange_times_t stream_exchange_measure(stream_exchange_t *exchange, size_t steps)
{
    double short_read = 0.0;
    double long_read = 0.0;
    for (size_t s = 0; s < steps; s++) {
        short_read += step(exchange, sizeof(double));
        long_read += step(exchange, STREAM_READ_BYTES);
    }
    double reads = exchange->sends ? (double)steps : INFINITY;
    return (stream_exchange_times_t){
        .short_read = stream_largest(short_read) / reads,
        .long_read = stream_largest(long_read) / reads,
    };
}

static void put_turns(void *context, size_t count)
{
    stream_exchange_t *exchange = context;
    double *array = exchange->memory->arrays.c;
    int partner = stream_partner(pgas_mythread(), PGAS_REMOTE);
    for (size_t i = 0; i < count; i++) {
        size_t index = next_place(exchange, STREAM_MESSAGE_BYTES);
        pgas_memput(stream_private_of(exchange->memory, partner, array, index), &array[index],
                    STREAM_MESSAGE_BYTES);
    }
}

double stream_exchange_put(stream_exchange_t *exchange, size_t count)
{
    return stream_time(put_turns, exchange, count) / (double)count;
}

size_t stream_exchange_put_fit(stream_exchange_t *exchange, double seconds)
{
    return stream_fit(put_turns, exchange, seconds);
}
