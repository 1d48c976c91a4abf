/**
 * Messages that travel together: short ones, and those with few bytes. Between nodes:
 *
 *   1. What a thread sends before it computes arrives while it computes, be it one request or more
 *      than a bundle holds, with bytes or without: nobody waits for its next call.
 *   2. The replies of handlers that run one after the other arrive, while the thread that has run
 *      them computes.
 *   3. Requests of all numbers of arguments, medium and long ones of all sizes around what still
 *      travels with others between them, arrive once each, with their arguments and bytes, long
 *      ones in their places.
 *   4. Without replies: credits come back, however many messages a bundle has.
 *   5. Replies that do not fit into the network at once arrive, while the thread that has sent them
 *      computes.
 *
 * Threads of one node send too, where nothing is bundled.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <pgas/pgas.h>

#include "check.h"
#include "message.h"

#include "net/ucx/progress_thread.h"

enum {
    ROUNDS = 30,
    MIXED = 5000,
    PAYLOAD = 1500,
    FEW = 40,
    FLOOD = 20000,
    LARGE = 50,
    LARGE_ROUNDS = 20,
    /* After which the progress thread sleeps. */
    IDLE_US = 5000
};

static pgas_am_t count_up;
static pgas_am_t request;
static pgas_am_t large;
static pgas_am_t replied;
static pgas_am_t mixed;
static uint32_t counted;
static uint32_t mixed_count;
static uint32_t replies;
static unsigned overslept;
static pgas_ptr_t words; /* one of each thread, which others write */
static pgas_ptr_t places; /* of long messages in each thread, one for each that it gets */

static void run_count(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                      size_t nbytes)
{
    (void)token, (void)args, (void)nargs, (void)payload, (void)nbytes;
    counted++;
}

static void run_request(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                        size_t nbytes)
{
    unsigned char bytes[FEW];
    (void)payload, (void)nbytes;
    counted++;
    if (args[0] % 3 != 1) {
        pgas_am_reply_short(token, replied, args, nargs);
        return;
    }
    message_fill((uint32_t)args[0], NULL, 0, bytes, sizeof bytes);
    pgas_am_reply_medium(token, replied, args, nargs, bytes, sizeof bytes);
}

static void run_large(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                      size_t nbytes)
{
    static unsigned char bytes[PGAS_AM_MAX_MEDIUM];
    (void)args, (void)nargs, (void)payload, (void)nbytes;
    counted++;
    pgas_am_reply_medium(token, replied, PGAS_AM_ARGS(0), bytes, sizeof bytes);
}

static void run_replied(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                        size_t nbytes)
{
    (void)token;
    if (nbytes <= FEW)
        message_check((uint32_t)args[0], args, 1, nargs, payload, nbytes);
    __atomic_fetch_add(&replies, 1, __ATOMIC_RELEASE);
}

static void run_mixed(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                      size_t nbytes)
{
    if (nargs > 0)
        message_check((uint32_t)args[0], args, 1, nargs, payload, nbytes);
    mixed_count++;
    (void)token;
}

static void send(int thread, pgas_am_t am, uint32_t seed, unsigned nargs)
{
    int32_t args[PGAS_AM_MAX_ARGS];
    message_fill(seed, args, nargs, NULL, 0);
    if (nargs > 0)
        args[0] = (int32_t)seed;
    pgas_am_request_short(thread, am, args, nargs);
}

static void send_medium(int thread, pgas_am_t am, uint32_t seed, unsigned nargs)
{
    int32_t args[PGAS_AM_MAX_ARGS];
    unsigned char payload[FEW];
    message_fill(seed, args, nargs, payload, sizeof payload);
    pgas_am_request_medium(thread, am, args, nargs, payload, sizeof payload);
}

static pgas_ptr_t word_of(int thread)
{
    pgas_ptr_t word = words;
    word.thread = (uint32_t)thread;
    return word;
}

static bool computes_in(unsigned round)
{
    return round % 2 == 0;
}

/* How often this thread's progress thread has slept through what nobody had woken it for. UCX may
 * do that, seldom; a wake-up that is missing does it in up to every other round. */
static void check_sleep(unsigned rounds)
{
    unsigned now = atomic_load(&pgasi_ucx_progress_thread_overslept);
    CHECK(now - overslept <= (getenv("FATHOM_TEST_ALONE") != NULL ? 0 : rounds / 8));
    overslept = now;
}

/* Calls nothing of the runtime in rounds in which it computes. */
static void compute_until(unsigned round, const uint64_t *word, uint64_t value)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) {
        if (!computes_in(round))
            pgas_poll();
        sched_yield();
    }
}

static void compute_until_replies(uint32_t count)
{
    while (__atomic_load_n(&replies, __ATOMIC_ACQUIRE) != count)
        sched_yield();
}

static void poll_until(const uint32_t *count, uint32_t value)
{
    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) != value)
        pgas_poll();
}

/* The first thread sends and computes; the last one says in the first one's memory that all has
 * come. */
static void check_computing(void)
{
    static const unsigned counts[] = {1, 2, 3, 4, 33, 100, 128};
    int last = pgas_threads() - 1;
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned count = counts[i / 2 % (sizeof counts / sizeof counts[0])];
        counted = 0;
        pgas_barrier();
        if (pgas_mythread() == 0) {
            usleep(IDLE_US);
            for (unsigned k = 0; k < count; k++)
                (i % 3 == 0 || k % 3 == 0 ? send : send_medium)(last, count_up, i,
                                                                k % (PGAS_AM_MAX_ARGS + 1));
            compute_until(i, pgas_local(words), i + 1);
        } else if (pgas_mythread() == last) {
            poll_until(&counted, count);
            PGAS_WRITE(uint64_t, word_of(0), (uint64_t)i + 1);
        }
        pgas_barrier();
    }
    check_sleep(ROUNDS);
}

/* Runs what the progress thread has received, in a call that only sends. */
static void send_until(uint32_t value)
{
    while (counted != value) {
        usleep(IDLE_US);
        send(pgas_mythread(), mixed, 1, 1);
    }
}

/* The last thread runs the requests of a round, and computes until the first one has all replies.
 */
static void check_replies(void)
{
    int last = pgas_threads() - 1;
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned count = 1 + i * 4;
        uint64_t end = (uint64_t)ROUNDS + i + 1;
        counted = 0;
        replies = 0;
        pgas_barrier();
        if (pgas_mythread() == 0) {
            for (unsigned k = 0; k < count; k++)
                send(last, request, i * 1000 + k, 1 + k % PGAS_AM_MAX_ARGS);
            if (computes_in(i) && i % 3 == 0)
                compute_until_replies(count);
            else
                poll_until(&replies, count);
            PGAS_WRITE(uint64_t, word_of(last), end);
        } else if (pgas_mythread() == last) {
            if (i % 4 < 2)
                poll_until(&counted, count);
            else
                send_until(count);
            compute_until(i, pgas_local(word_of(last)), end);
        }
        pgas_barrier();
    }
    check_sleep(ROUNDS);
}

/* The last thread runs many requests in one call, and computes until all replies have come. */
static void check_large_replies(void)
{
    int last = pgas_threads() - 1;
    for (unsigned i = 0; i < LARGE_ROUNDS; i++) {
        uint64_t end = 2 * (uint64_t)ROUNDS + i + 1;
        counted = 0;
        replies = 0;
        pgas_barrier();
        if (pgas_mythread() == 0) {
            for (unsigned k = 0; k < LARGE; k++)
                send(last, large, k, 1);
            poll_until(&replies, LARGE);
            PGAS_WRITE(uint64_t, word_of(last), end);
        } else if (pgas_mythread() == last) {
            poll_until(&counted, LARGE);
            compute_until(i, pgas_local(word_of(last)), end);
        }
        pgas_barrier();
    }
    check_sleep(LARGE_ROUNDS);
}

/* From every thread to every thread. */
static void check_mixed(void)
{
    static unsigned char payload[PAYLOAD];
    unsigned threads = (unsigned)pgas_threads();
    pgas_barrier();
    mixed_count = 0;
    pgas_barrier();
    for (unsigned i = 0; i < MIXED / threads; i++) {
        for (unsigned to = 0; to < threads; to++) {
            uint32_t seed = (i * threads + to) * threads + (unsigned)pgas_mythread();
            unsigned nargs = i % (PGAS_AM_MAX_ARGS + 1);
            int32_t args[PGAS_AM_MAX_ARGS];
            size_t nbytes = i % sizeof payload;
            if (i % 7 < 3 || nargs == 0) {
                send((int)to, mixed, seed, nargs);
                continue;
            }
            message_fill(seed, args, nargs, payload, nbytes);
            args[0] = (int32_t)seed;
            if (i % 7 < 5) {
                pgas_am_request_medium((int)to, mixed, args, nargs, payload, nbytes);
                continue;
            }
            size_t place = (size_t)(i * threads + (unsigned)pgas_mythread()) * PAYLOAD;
            pgas_ptr_t dst = pgas_ptr_shift(pgas_ptr_on(places, (int)to), (ptrdiff_t)place);
            pgas_am_request_long((int)to, mixed, args, nargs, payload, nbytes, dst);
        }
    }
    poll_until(&mixed_count, MIXED / threads * threads);
    pgas_barrier();
}

static void check_flood(void)
{
    int last = pgas_threads() - 1;
    counted = 0;
    pgas_barrier();
    for (unsigned i = 0; i < FLOOD && pgas_mythread() == 0; i++)
        send(last, count_up, i, 4);
    if (pgas_mythread() == last)
        poll_until(&counted, FLOOD);
    pgas_barrier();
}

int main(void)
{
    count_up = pgas_am_register("count", run_count, PGAS_AM_POLL);
    request = pgas_am_register("request", run_request, PGAS_AM_POLL);
    large = pgas_am_register("large", run_large, PGAS_AM_POLL);
    replied = pgas_am_register("replied", run_replied, PGAS_AM_ANYWHERE);
    mixed = pgas_am_register("mixed", run_mixed, PGAS_AM_POLL);
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof(uint64_t), &words) == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), (size_t)MIXED * PAYLOAD, &places) == PGAS_OK);
    *(uint64_t *)pgas_local(word_of(pgas_mythread())) = 0;
    pgas_barrier();
    if (pgas_threads() > 1 && getenv("PGAS_PROGRESS") == NULL) {
        check_computing();
        check_replies();
        check_large_replies();
    }
    check_mixed();
    check_flood();
    pgas_finalize();
    return 0;
}
