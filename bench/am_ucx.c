/* Active messages of UCX by themselves, as bench-am times Fathom's: round trips of short and medium
 * messages, floods with and without replies, and an empty poll. A short message is a header of 16
 * bytes, as many as four arguments take; short_48_ns has one of 48, two cache lines with what UCX
 * adds, and asks for the way back, and so has medium_512_48_ns. short_shared_ns has one of 28, as
 * Fathom's, and what every layer needs whose worker a second thread may progress and whose handlers
 * may poll: a lock for each call of UCX, and replies behind its callback. The two processes meet by
 * Fathom. */
#include <pgas/pgas.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "ucx_pair.h"

enum {
    PING = 1,
    PONG,
    COUNT,
    STOP,
    BLOCK = 65536,
    ARGS = 16,
    SHARED = 28,
    LARGER = 48,
    /* Messages under way that nobody has taken: without a bound UCX queues them all. */
    WINDOW = 64
};

static char *payload;
static size_t nbytes;
static const int32_t args[12] = {1, 2, 3, 4};
static size_t header_of_ping = ARGS;
static unsigned flags_of_ping = UCP_AM_SEND_FLAG_EAGER;
static size_t replies;
static size_t counted;
static bool has_stopped;
static bool is_shared;
static atomic_bool is_locked;
static bool owes_reply;

static void set_ping(size_t header_size, unsigned flags)
{
    header_of_ping = header_size;
    flags_of_ping = UCP_AM_SEND_FLAG_EAGER | flags;
    is_shared = header_size == SHARED;
}

/* True if it must be unlocked. */
static bool lock(void)
{
    if (!is_shared)
        return false;
    while (atomic_exchange_explicit(&is_locked, true, memory_order_acquire))
        continue;
    return true;
}

static void unlock(bool must_unlock)
{
    if (must_unlock)
        atomic_store_explicit(&is_locked, false, memory_order_release);
}

/* Whole, as Fathom sends up to that size. */
static void post_with(unsigned id, size_t header_size, size_t size, unsigned flags)
{
    bool must_unlock = lock();
    ucx_pair_post(id, args, header_size, size > 0 ? payload : NULL, size, flags);
    unlock(must_unlock);
}

static void post(unsigned id, size_t header_size, size_t size)
{
    post_with(id, header_size, size, UCP_AM_SEND_FLAG_EAGER);
}

static void progress(void)
{
    bool must_unlock = lock();
    ucp_worker_progress(ucx_pair_worker);
    unlock(must_unlock);
    if (owes_reply) {
        owes_reply = false;
        post(PONG, SHARED, 0);
    }
}

static ucs_status_t take_ping(void *unused, const void *header, size_t header_size, void *data,
                              size_t size, const ucp_am_recv_param_t *parameters)
{
    (void)unused, (void)header, (void)data, (void)parameters;
    is_shared = header_size == SHARED;
    if (is_shared)
        owes_reply = true;
    else
        post(PONG, header_size, size);
    return UCS_OK;
}

static ucs_status_t take_pong(void *unused, const void *header, size_t header_size, void *data,
                              size_t size, const ucp_am_recv_param_t *parameters)
{
    (void)unused, (void)header, (void)header_size, (void)data, (void)size, (void)parameters;
    replies++;
    return UCS_OK;
}

/* Every half window is acknowledged. */
static ucs_status_t take_count(void *unused, const void *header, size_t header_size, void *data,
                               size_t size, const ucp_am_recv_param_t *parameters)
{
    (void)unused, (void)header, (void)header_size, (void)data, (void)size, (void)parameters;
    if (++counted % (WINDOW / 2) == 0)
        post(PONG, 0, 0);
    return UCS_OK;
}

static ucs_status_t take_stop(void *unused, const void *header, size_t header_size, void *data,
                              size_t size, const ucp_am_recv_param_t *parameters)
{
    (void)unused, (void)header, (void)header_size, (void)data, (void)size, (void)parameters;
    has_stopped = true;
    return UCS_OK;
}

static void wait_for_replies(size_t until)
{
    while (replies < until)
        progress();
}

static void ping(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t before = replies;
        post_with(PING, header_of_ping, nbytes, flags_of_ping);
        wait_for_replies(before + 1);
    }
}

static void flood(size_t count)
{
    size_t before = replies;
    for (size_t i = 0; i < count; i++) {
        if (i >= WINDOW)
            wait_for_replies(before + (i - WINDOW) / (WINDOW / 2) + 1);
        post(COUNT, ARGS, 0);
    }
    wait_for_replies(before + count / (WINDOW / 2));
}

static void flood_with_replies(size_t count)
{
    size_t before = replies;
    for (size_t i = 0; i < count; i++) {
        if (i >= WINDOW)
            wait_for_replies(before + i - WINDOW + 1);
        post(PING, ARGS, 0);
    }
    wait_for_replies(before + count);
}

static void poll_empty(size_t count)
{
    for (size_t i = 0; i < count; i++)
        progress();
}

static void run(const char *name, void (*loop)(size_t), size_t count, size_t size, size_t batches)
{
    double *times = bench_allocate(batches * sizeof *times, 0);
    nbytes = size;
    loop(count);
    for (size_t i = 0; i < batches; i++) {
        double begin = bench_seconds();
        loop(count);
        times[i] = 1e9 * (bench_seconds() - begin) / (double)count;
    }
    bench_print(name, bench_summarise(times, batches));
    free(times);
}

int main(int argc, char **argv)
{
    size_t batches = bench_argument(argc, argv, 1, 51);
    if (pgas_init() != PGAS_OK)
        return 1;
    if (pgas_threads() != 2)
        pgas_fail(2, "two threads are needed, not %d", pgas_threads());
    payload = bench_allocate(BLOCK, 0);
    ucx_pair_start();
    ucx_pair_serve(PING, take_ping, NULL);
    ucx_pair_serve(PONG, take_pong, NULL);
    ucx_pair_serve(COUNT, take_count, NULL);
    ucx_pair_serve(STOP, take_stop, NULL);
    ucx_pair_connect();
    pgas_barrier();
    if (pgas_mythread() == 0) {
        run("short_ns", ping, 200, 0, batches);
        set_ping(SHARED, 0);
        run("short_shared_ns", ping, 200, 0, batches);
        set_ping(LARGER, UCP_AM_SEND_FLAG_REPLY);
        run("short_48_ns", ping, 200, 0, batches);
        run("medium_512_48_ns", ping, 200, 512, batches);
        set_ping(ARGS, 0);
        run("medium_512_ns", ping, 200, 512, batches);
        run("medium_64k_ns", ping, 20, BLOCK, batches);
        run("flood_ns", flood, (size_t)64 * WINDOW, 0, batches);
        run("flood_with_replies_ns", flood_with_replies, 2000, 0, batches);
        run("poll_ns", poll_empty, 2000, 0, batches);
        post(STOP, 0, 0);
        ucx_pair_flush();
    }
    while (pgas_mythread() != 0 && !has_stopped)
        progress();
    pgas_barrier();
    ucx_pair_end();
    free(payload);
    pgas_finalize();
    return 0;
}
