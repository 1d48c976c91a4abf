#include "exchange.h"

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
    int me = pgas_mythread();
    *exchange = (stream_exchange_t){
        .memory = memory,
        .sends = stream_has_partners(PGAS_REMOTE),
    };
    if (pgas_all_alloc((size_t)pgas_threads(), LINE_BYTES, &exchange->signals) != PGAS_OK)
        pgas_exit(1);
    pgas_signal_set(pgas_local(pgas_ptr_on(exchange->signals, me)), 0);
    for (int t = 0; exchange->sends && t < pgas_threads(); t++)
        exchange->senders += stream_partner(t, PGAS_REMOTE) == me;
    pgas_barrier();
}

void stream_exchange_free(stream_exchange_t *exchange)
{
    pgas_all_free(exchange->signals);
}

static void read_from_partner(stream_exchange_t *exchange, size_t nbytes)
{
    double *array = exchange->memory->arrays.c;
    size_t index = next_place(exchange, nbytes);
    int partner = stream_partner(pgas_mythread(), PGAS_REMOTE);
    pgas_memget(&array[index], stream_private_of(exchange->memory, partner, array, index), nbytes);
}

static void send_to_partner(stream_exchange_t *exchange, size_t nbytes)
{
    double *array = exchange->memory->arrays.c;
    size_t index = next_place(exchange, nbytes);
    int partner = stream_partner(pgas_mythread(), PGAS_REMOTE);
    pgas_put_signal(stream_private_of(exchange->memory, partner, array, index), &array[index],
                    nbytes, pgas_ptr_on(exchange->signals, partner), PGAS_SIGNAL_ADD, 1);
}

static void await_senders(stream_exchange_t *exchange)
{
    exchange->signalled += exchange->senders;
    pgas_signal_wait(pgas_local(pgas_ptr_on(exchange->signals, pgas_mythread())), PGAS_GE,
                     exchange->signalled);
}

/* Seconds of the transfer in a step. */
static double step(stream_exchange_t *exchange, size_t nbytes,
                   void (*transfer)(stream_exchange_t *, size_t))
{
    stream_private_run(exchange->memory, STREAM_TRIAD);
    pgas_barrier();
    if (!exchange->sends)
        return 0.0;
    double start = common_seconds();
    transfer(exchange, nbytes);
    double took = common_seconds() - start;
    if (transfer == send_to_partner)
        await_senders(exchange);
    return took;
}

stream_exchange_times_t stream_exchange_measure(stream_exchange_t *exchange, size_t steps)
{
    stream_exchange_times_t sum = {0.0, 0.0, 0.0, 0.0};
    for (size_t s = 0; s < steps; s++) {
        sum.short_read += step(exchange, sizeof(double), read_from_partner);
        sum.long_read += step(exchange, STREAM_READ_BYTES, read_from_partner);
        sum.short_send += step(exchange, sizeof(double), send_to_partner);
        sum.long_send += step(exchange, STREAM_READ_BYTES, send_to_partner);
    }
    return (stream_exchange_times_t){
        .short_read = stream_largest(sum.short_read) / (double)steps,
        .long_read = stream_largest(sum.long_read) / (double)steps,
        .short_send = stream_largest(sum.short_send) / (double)steps,
        .long_send = stream_largest(sum.long_send) / (double)steps,
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
