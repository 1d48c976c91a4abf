/* Active messages between thread 0 and thread 1, which polls while the others sleep in a barrier:
 * round trips of short, medium and long messages, floods with and without replies, and an empty
 * poll; short round trips to a thread that sleeps in a barrier; and short round trips of all pairs
 * of threads at once. On a node, the round trip of a cache line that the two threads write in turn
 * stands beside them, and that of a futex whose other side sleeps. */
#include <pgas/pgas.h>

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

enum {
    BLOCK = 1 << 20,
    WAKES = 20 /* in a batch */
};

static pgas_am_t ping;
static pgas_am_t pong;
static pgas_am_t count_up;
static pgas_am_t stop;
static pgas_ptr_t room;
static char *buffer;
static int other;
static size_t nbytes;
static volatile size_t replies;
static volatile size_t served;
static volatile size_t counted;
static volatile int has_stopped;

static void take_ping(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                      size_t size)
{
    pgas_ptr_t back = pgas_ptr_on(room, pgas_am_source(token));
    served++;
    if (payload == NULL)
        pgas_am_reply_short(token, pong, args, nargs);
    else if (size <= PGAS_AM_MAX_MEDIUM)
        pgas_am_reply_medium(token, pong, args, nargs, payload, size);
    else
        pgas_am_reply_long(token, pong, args, nargs, payload, size, back);
}

static void take_pong(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                      size_t size)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)size;
    replies++;
}

static void take_count(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                       size_t size)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)size;
    counted++;
}

static void take_stop(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                      size_t size)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)size;
    has_stopped = 1;
}

static void wait_for_replies(size_t until)
{
    while (replies < until)
        pgas_poll();
}

static void ping_short(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t before = replies;
        pgas_am_request_short(other, ping, PGAS_AM_ARGS((int32_t)i, 2, 3, 4));
        wait_for_replies(before + 1);
    }
}

static void ping_bytes(size_t count)
{
    pgas_ptr_t to = pgas_ptr_on(room, other);
    for (size_t i = 0; i < count; i++) {
        size_t before = replies;
        if (nbytes <= PGAS_AM_MAX_MEDIUM)
            pgas_am_request_medium(other, ping, NULL, 0, buffer, nbytes);
        else
            pgas_am_request_long(other, ping, NULL, 0, buffer, nbytes, to);
        wait_for_replies(before + 1);
    }
}

/* Timed until the last one has been run: it replies. */
static void flood(size_t count)
{
    size_t before = replies;
    for (size_t i = 1; i < count; i++)
        pgas_am_request_short(other, count_up, PGAS_AM_ARGS((int32_t)i, 2, 3, 4));
    pgas_am_request_short(other, ping, NULL, 0);
    wait_for_replies(before + 1);
}

static void flood_with_replies(size_t count)
{
    size_t before = replies;
    for (size_t i = 0; i < count; i++)
        pgas_am_request_short(other, ping, PGAS_AM_ARGS((int32_t)i, 2, 3, 4));
    wait_for_replies(before + count);
}

static void poll_empty(size_t count)
{
    for (size_t i = 0; i < count; i++)
        pgas_poll();
}

/* The raw line: what no message can beat. */
typedef struct line {
    _Alignas(64) _Atomic uint64_t there;
    _Alignas(64) _Atomic uint64_t back;
    _Alignas(64) _Atomic uint32_t word;
} line_t;

static line_t *line;

static void ping_line(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = atomic_load_explicit(&line->there, memory_order_relaxed) + 1;
        atomic_store_explicit(&line->there, value, memory_order_release);
        while (atomic_load_explicit(&line->back, memory_order_acquire) != value)
            continue;
    }
}

static void serve_line(void)
{
    uint64_t value = 0;
    while (value != UINT64_MAX) {
        uint64_t next = atomic_load_explicit(&line->there, memory_order_acquire);
        if (next != value)
            atomic_store_explicit(&line->back, next, memory_order_release);
        value = next;
    }
}

/* The raw futex: what no message to a sleeper can beat. */
static void sleep_and_reply(size_t count)
{
    for (uint32_t i = 1; i <= count; i++) {
        while (atomic_load(&line->word) != i)
            syscall(SYS_futex, &line->word, FUTEX_WAIT, i - 1, NULL, NULL, 0);
        atomic_store(&line->back, i);
    }
}

static void ping_futex(void)
{
    uint32_t value = atomic_load(&line->word) + 1;
    atomic_store(&line->word, value);
    syscall(SYS_futex, &line->word, FUTEX_WAKE, 1, NULL, NULL, 0);
    while (atomic_load(&line->back) != value)
        continue;
}

static void ping_once(void)
{
    ping_short(1);
}

/* The other thread goes to sleep in between. */
static void run_wake(const char *name, void (*trip)(void), size_t batches)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    double *times = malloc(batches * sizeof *times);
    if (times == NULL)
        pgas_fail(1, "no memory for %zu batches", batches);
    for (size_t i = 0; i < batches; i++) {
        double seconds = 0;
        for (int k = 0; k < WAKES; k++) {
            nanosleep(&pause, NULL);
            double begin = bench_seconds();
            trip();
            seconds += bench_seconds() - begin;
        }
        times[i] = 1e9 * seconds / WAKES;
    }
    bench_print(name, bench_summarise(times, batches));
    free(times);
}

static void run_futex(size_t batches)
{
    pgas_barrier();
    if (pgas_mythread() == 0)
        run_wake("futex_ns", ping_futex, batches);
    else if (pgas_mythread() == other)
        sleep_and_reply(batches * WAKES);
    pgas_barrier();
}

typedef struct measure {
    const char *name;
    void (*loop)(size_t count);
    size_t count;
    size_t nbytes;
} measure_t;

static void run(const measure_t *measure, size_t batches)
{
    double *times = malloc(batches * sizeof *times);
    if (times == NULL)
        pgas_fail(1, "no memory for %zu batches", batches);
    nbytes = measure->nbytes;
    measure->loop(measure->count);
    for (size_t i = 0; i < batches; i++) {
        double begin = bench_seconds();
        measure->loop(measure->count);
        times[i] = 1e9 * (bench_seconds() - begin) / (double)measure->count;
    }
    bench_print(measure->name, bench_summarise(times, batches));
    free(times);
}

static void run_line(size_t batches)
{
    const measure_t measure = {"line_ns", ping_line, 2000, 0};
    pgas_barrier();
    if (pgas_mythread() == 0) {
        run(&measure, batches);
        atomic_store(&line->there, UINT64_MAX);
    } else if (pgas_mythread() == other) {
        serve_line();
    }
    pgas_barrier();
}

static void run_all(size_t batches, size_t scale)
{
    const measure_t measures[] = {
        {"short_ns", ping_short, 2000 / scale, 0},
        {"medium_512_ns", ping_bytes, 2000 / scale, 512},
        {"medium_64k_ns", ping_bytes, 200 / scale, 65536},
        {"long_1m_ns", ping_bytes, 20 / scale + 1, BLOCK},
        {"flood_ns", flood, 20000 / scale, 0},
        {"flood_with_replies_ns", flood_with_replies, 20000 / scale, 0},
        {"poll_ns", poll_empty, 20000 / scale, 0},
    };
    for (size_t i = 0; i < sizeof measures / sizeof measures[0]; i++)
        run(&measures[i], batches);
}

/* Every even thread and the one after it, which polls, all pairs at once. */
static void ping_in_pairs(size_t count)
{
    size_t before = served;
    pgas_barrier();
    if (other > pgas_mythread())
        ping_short(count);
    while (other < pgas_mythread() && served < before + count)
        pgas_poll();
    pgas_barrier();
}

static void run_pairs(size_t batches)
{
    const measure_t measure = {"pairs_ns", ping_in_pairs, 200, 0};
    other = pgas_mythread() ^ 1;
    if (pgas_mythread() == 0) {
        run(&measure, batches);
        return;
    }
    for (size_t i = 0; i <= batches; i++)
        ping_in_pairs(measure.count);
}

int main(int argc, char **argv)
{
    size_t batches = bench_argument(argc, argv, 1, 51);
    ping = pgas_am_register("ping", take_ping, PGAS_AM_POLL);
    pong = pgas_am_register("pong", take_pong, PGAS_AM_POLL);
    count_up = pgas_am_register("count", take_count, PGAS_AM_POLL);
    stop = pgas_am_register("stop", take_stop, PGAS_AM_POLL);
    if (pgas_init() != PGAS_OK)
        return 1;
    other = pgas_threads() > 1;
    if (pgas_all_alloc((size_t)pgas_threads(), BLOCK, &room) != PGAS_OK)
        pgas_exit(1);
    buffer = bench_allocate(BLOCK, 0);
    pgas_ptr_t last = pgas_ptr_on(room, other);
    bool is_local = pgas_node_of(0) == pgas_node_of(other);
    line = pgas_local(last);
    if (is_local && other > 0) {
        memset(line, 0, sizeof *line);
        run_line(batches);
        if (pgas_mythread() == 0)
            memset(line, 0, sizeof *line);
        run_futex(batches);
    }
    pgas_barrier();
    if (pgas_mythread() == 0) {
        run_all(batches, is_local ? 1 : 10);
        pgas_am_request_short(other, stop, NULL, 0);
    }
    while (pgas_mythread() == other && !has_stopped)
        pgas_poll();
    if (pgas_mythread() == 0 && other > 0)
        run_wake("wake_ns", ping_once, batches);
    pgas_barrier();
    if (pgas_threads() % 2 == 0)
        run_pairs(batches);
    pgas_finalize();
    return 0;
}
