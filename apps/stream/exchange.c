#include "exchange.h"

#include <math.h>
#include <stdlib.h>

#include "common/large.h"
#include "common/timing.h"
#include "job.h"

enum {
    ARRAYS = 3,
    LINE_BYTES = 64,
    LINE = LINE_BYTES / sizeof(double),
    /* Eight pages and a line: the next line of the page table, and the next set of the cache. */
    STRIDE = (8 * 4096 + 64) / sizeof(double)
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

static void gather(const stream_exchange_t *exchange)
{
    const stream_arrays_t *arrays = &exchange->memory->arrays;
    const double *from[ARRAYS] = {arrays->a, arrays->b, arrays->c};
    double *column = exchange->columns;
    for (int array = 0; array < ARRAYS; array++)
        for (size_t i = 0; i < exchange->column_count; i++)
            *column++ = from[array][LINE + i * STRIDE];
}

/* Scatters to the columns to the left, which lie at the end of another line. */
static void scatter(const stream_exchange_t *exchange)
{
    const stream_arrays_t *arrays = &exchange->memory->arrays;
    double *const to[ARRAYS] = {arrays->a, arrays->b, arrays->c};
    const double *column = exchange->columns;
    for (int array = 0; array < ARRAYS; array++)
        for (size_t i = 0; i < exchange->column_count; i++)
            to[array][LINE - 1 + i * STRIDE] = *column++;
}

void stream_exchange_create(stream_private_t *memory, stream_exchange_t *exchange)
{
    *exchange = (stream_exchange_t){
        .memory = memory,
        .sends = stream_has_partners(PGAS_REMOTE),
        .column_count = (memory->count - LINE - 1) / STRIDE + 1,
    };
    exchange->columns = common_alloc("columns", ARRAYS * exchange->column_count, sizeof(double));
    gather(exchange); /* touches them */
}

void stream_exchange_free(stream_exchange_t *exchange)
{
    free(exchange->columns);
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

/* Adds a step's seconds to `times`, and the read's to `read`. */
static void step(stream_exchange_t *exchange, size_t nbytes, stream_exchange_times_t *times,
                 double *read)
{
    stream_private_run(exchange->memory, STREAM_TRIAD);
    double start = common_seconds();
    gather(exchange);
    double gathered = common_seconds();
    pgas_barrier();
    double met = common_seconds();
    read_from_partner(exchange, nbytes);
    double has_read = common_seconds();
    scatter(exchange);
    times->column_access += gathered - start + common_seconds() - has_read;
    *read += has_read - met;
}

stream_exchange_times_t stream_exchange_measure(stream_exchange_t *exchange, size_t steps)
{
    stream_exchange_times_t times = {0.0, 0.0, 0.0};
    for (size_t s = 0; s < steps; s++) {
        step(exchange, sizeof(double), &times, &times.short_read);
        step(exchange, STREAM_READ_BYTES, &times, &times.long_read);
    }
    double accesses = 4.0 * ARRAYS * (double)(steps * exchange->column_count);
    double reads = exchange->sends ? (double)steps : INFINITY;
    return (stream_exchange_times_t){
        .column_access = stream_largest(times.column_access) / accesses,
        .short_read = stream_largest(times.short_read) / reads,
        .long_read = stream_largest(times.long_read) / reads,
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
