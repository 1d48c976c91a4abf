#include "exchange.h"

#include "job.h"

/* The place of the next message: behind the previous one, cyclically. */
static size_t next_place(stream_exchange_t *exchange)
{
    size_t count = STREAM_MESSAGE_BYTES / sizeof(double);
    size_t place = exchange->next + count <= exchange->memory->count ? exchange->next : 0;
    exchange->next = place + count;
    return place;
}

static void put_turns(void *context, size_t count)
{
    stream_exchange_t *exchange = context;
    double *array = exchange->memory->arrays.c;
    int partner = stream_partner(pgas_mythread(), PGAS_REMOTE);
    for (size_t i = 0; i < count; i++) {
        size_t index = next_place(exchange);
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
