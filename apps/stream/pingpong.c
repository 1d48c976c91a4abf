#include "pingpong.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/large.h"
#include "job.h"

void stream_pingpong_create(pgas_place_t place, size_t max_nbytes, stream_pingpong_t *state)
{
    size_t threads = (size_t)pgas_threads();
    *state = (stream_pingpong_t){.place = place, .max_nbytes = max_nbytes};
    if (pgas_all_alloc(threads, max_nbytes, &state->buffers) != PGAS_OK ||
        pgas_all_alloc(threads, sizeof(uint64_t), &state->flags) != PGAS_OK)
        pgas_exit(1);
    state->source = common_alloc("messages", max_nbytes, 1);
    memset(state->source, 1 + pgas_mythread() % 100, max_nbytes);
    memset(pgas_local(pgas_ptr_on(state->buffers, pgas_mythread())), 0, max_nbytes);
    uint64_t *flag = pgas_local(pgas_ptr_on(state->flags, pgas_mythread()));
    *flag = 0;
    pgas_barrier();
}

void stream_pingpong_free(stream_pingpong_t *state)
{
    pgas_all_free(state->flags);
    pgas_all_free(state->buffers);
    free(state->source);
}

/* Waits until the flag says that the other side's message `number` has arrived. */
static void await(const volatile uint64_t *flag, uint64_t number)
{
    while (*flag != number)
        pgas_fence();
    pgas_fence();
}

static void send(const stream_pingpong_t *state, int to, const void *source, uint64_t number)
{
    pgas_memput(pgas_ptr_on(state->buffers, to), source, state->nbytes);
    atomic_thread_fence(memory_order_release); /* on a node both are stores */
    PGAS_WRITE(uint64_t, pgas_ptr_on(state->flags, to), number);
}

/* Thread 0 and its partner exchange messages; with `echo` the partner sends back what it got. */
static void play(stream_pingpong_t *state, size_t rounds, bool echo)
{
    int me = pgas_mythread();
    int partner = stream_partner(0, state->place);
    const volatile uint64_t *flag = pgas_local(pgas_ptr_on(state->flags, me));
    const void *arrived = pgas_local(pgas_ptr_on(state->buffers, me));
    for (size_t i = 0; i < rounds; i++) {
        state->sent++;
        if (me == 0) {
            send(state, partner, state->source, state->sent);
            await(flag, state->sent);
        } else if (me == partner) {
            await(flag, state->sent);
            send(state, 0, echo ? arrived : state->source, state->sent);
        }
    }
}

static void play_rounds(void *context, size_t rounds)
{
    play(context, rounds, false);
}

double stream_pingpong_measure(stream_pingpong_t *state, size_t nbytes, size_t rounds)
{
    state->nbytes = nbytes;
    return stream_time(play_rounds, state, rounds) / (double)rounds / 2;
}

size_t stream_pingpong_fit(stream_pingpong_t *state, size_t nbytes, double seconds)
{
    state->nbytes = nbytes;
    return stream_fit(play_rounds, state, seconds);
}

static void put_turns(void *context, size_t count)
{
    const stream_pingpong_t *state = context;
    pgas_ptr_t to = pgas_ptr_on(state->buffers, stream_partner(pgas_mythread(), state->place));
    for (size_t i = 0; i < count; i++)
        pgas_memput(to, state->source, state->nbytes);
}

double stream_put_measure(stream_pingpong_t *state, size_t nbytes, size_t count)
{
    state->nbytes = nbytes;
    return stream_time(put_turns, state, count) / (double)count;
}

size_t stream_put_fit(stream_pingpong_t *state, size_t nbytes, double seconds)
{
    state->nbytes = nbytes;
    return stream_fit(put_turns, state, seconds);
}

bool stream_pingpong_check(stream_pingpong_t *state, size_t nbytes)
{
    char *arrived = pgas_local(pgas_ptr_on(state->buffers, pgas_mythread()));
    state->nbytes = nbytes;
    memset(arrived, 0, nbytes); /* what came before may be the same */
    pgas_barrier();
    for (size_t i = 0; i < nbytes; i++)
        state->source[i] = (char)(i * 7 + nbytes + (size_t)pgas_mythread() * 13);
    play(state, 1, true);
    bool right = pgas_mythread() != 0 || memcmp(arrived, state->source, nbytes) == 0;
    return stream_all(right);
}
