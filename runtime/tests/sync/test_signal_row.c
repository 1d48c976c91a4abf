/**
 * Signals that one thread sends to another row after row, which travel together between nodes.
 *
 * Hostile orders:
 *   - a sender that computes after its row, and calls nothing: all of it arrives
 *   - a row of every length, from one signal to more than a bundle takes, before each pause
 *   - bytes of every small size, larger ones that go alone, and none, in one row; looked at in the
 *     very instruction after the wait
 *   - puts in flight between the signals of a row, which each signal stands behind
 *   - a source that is overwritten as soon as it may be
 *   - handles of a row, waited for in the other direction; a handle of the middle alone
 *   - rows to two threads in alternation
 *   - two operating-system threads of a process with a row each, to the same word
 *   - a row right before pgas_finalize
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"
#include "pause.h"

enum {
    ROW = 400,
    SLOT = 2048,
    /* A sleeping thread looks around so often, if nobody wakes it. */
    INTERVAL_MS = 100,
    HANDLES = 60
};

/* At every thread: places for a row, one word for the puts before each signal, and signals. */
static pgas_ptr_t slots;
static pgas_ptr_t words;
static pgas_ptr_t come;
static pgas_ptr_t flag;
static int threads;
static int me;
static bool is_short;

static int next(int distance)
{
    return (me + distance) % threads;
}

static pgas_ptr_t at(pgas_ptr_t base, int thread, size_t offset)
{
    return pgas_ptr_shift(pgas_ptr_on(base, thread), (ptrdiff_t)offset);
}

static pgas_signal_t *own_signal(int which)
{
    return (pgas_signal_t *)pgas_local(pgas_ptr_on(come, me)) + which;
}

static pgas_ptr_t signal_of(int thread, int which)
{
    return at(come, thread, (size_t)which * sizeof(pgas_signal_t));
}

static void reset(void)
{
    pgas_barrier();
    pgas_signal_set(own_signal(0), 0);
    pgas_signal_set(own_signal(1), 0);
    __atomic_store_n((uint64_t *)pgas_local(pgas_ptr_on(flag, me)), 0, __ATOMIC_RELEASE);
    pgas_barrier();
}

/* Both sides derive the sizes from the seed. */
static size_t size_of(uint64_t seed, size_t i)
{
    uint64_t state = seed + i;
    size_t kind = random_below(&state, 8);
    return kind == 0   ? 0
           : kind == 1 ? SLOT - random_below(&state, 1500)
                       : random_below(&state, 513);
}

static unsigned char byte_of(uint64_t seed, size_t i, size_t k)
{
    return (unsigned char)(seed + i * 7 + k);
}

static void send(uint64_t seed, size_t i, int to)
{
    unsigned char bytes[SLOT];
    size_t nbytes = size_of(seed, i);
    uint64_t word = seed + i;
    for (size_t k = 0; k < nbytes; k++)
        bytes[k] = byte_of(seed, i, k);
    if (i % 3 == 0)
        pgas_put_val_asynci(at(words, to, i * sizeof word), word, sizeof word);
    pgas_put_signal(at(slots, to, i * SLOT), bytes, nbytes, signal_of(to, 0), PGAS_SIGNAL_SET,
                    i + 1);
    memset(bytes, 0xee, sizeof bytes);
}

/* The signal says that this many have come. */
static void check_row(uint64_t seed, size_t from, size_t count)
{
    const unsigned char *bytes = pgas_local(pgas_ptr_on(slots, me));
    const uint64_t *puts = pgas_local(pgas_ptr_on(words, me));
    for (size_t i = count; i-- > from;) {
        CHECK(i % 3 != 0 || puts[i] == seed + i);
        for (size_t k = size_of(seed, i); k-- > 0;)
            CHECK(bytes[i * SLOT + k] == byte_of(seed, i, k));
    }
}

/* The thread before this one sends; it calls nothing between rows, until it has been answered. */
static void receive_rows(uint64_t seed, size_t count)
{
    int from = next(threads - 1);
    size_t seen = 0;
    while (seen < count) {
        size_t now = (size_t)pgas_signal_wait(own_signal(0), PGAS_GT, seen);
        CHECK(now > seen && now <= count);
        check_row(seed, seen, now);
        seen = now;
    }
    PGAS_WRITE(uint64_t, pgas_ptr_on(flag, from), seed);
}

/* How many rows took as long as a sleeper that nobody wakes, of those after which the sender
 * computes, and of those after which it polls: on a busy machine these are late, too. */
typedef struct lateness {
    unsigned computing;
    unsigned polling;
    unsigned rows;
} lateness_t;

static lateness_t late;

static void compute_until(uint64_t value, bool polls)
{
    const uint64_t *mine = pgas_local(pgas_ptr_on(flag, me));
    double begin = seconds_now();
    while (__atomic_load_n(mine, __ATOMIC_ACQUIRE) != value) {
        if (polls)
            pgas_poll();
        sched_yield();
    }
    late.rows++;
    if (seconds_now() - begin >= 0.9e-3 * INTERVAL_MS)
        *(polls ? &late.polling : &late.computing) += 1;
}

/* In a phase the even threads send, or the odd ones; the last of an odd number does not. */
static bool sends_in(int thread, int parity)
{
    return thread % 2 == parity && (thread + 1 < threads || threads % 2 == 0);
}

static void pass_row(uint64_t key, size_t count, int parity, bool polls)
{
    bool sends = sends_in(me, parity);
    reset();
    for (size_t i = 0; i < count && sends; i++)
        send(key, i, next(1));
    if (sends_in(next(threads - 1), parity))
        receive_rows(key, count);
    if (sends)
        compute_until(key, polls);
    pgas_waitsynci();
}

static void rows_while_computing(uint64_t seed)
{
    const char *progress = getenv("PGAS_PROGRESS");
    bool must_poll = progress != NULL && strcmp(progress, "poll") == 0;
    for (size_t count = 1; count <= ROW; count = count < 6 ? count + 1 : count * 5 / 2)
        for (int phase = 0; phase < 4; phase++)
            pass_row(seed + count * 1000 + 1 + (uint64_t)phase, count, phase % 2,
                     must_poll || phase / 2 == 1);
    unsigned most = getenv("FATHOM_TEST_ALONE") != NULL ? 0 : late.rows / 4;
    CHECK(late.computing <= most || late.polling > 0);
}

static void rows_with_handles(uint64_t seed)
{
    static uint64_t values[HANDLES];
    uint64_t state = random_seed_of_thread(seed);
    uint64_t rounds = is_short ? 3 : 10;
    reset();
    for (uint64_t round = 1; round <= rounds; round++) {
        pgas_handle_t handles[HANDLES];
        for (size_t i = 0; i < HANDLES; i++) {
            values[i] = round * HANDLES + i;
            handles[i] = pgas_put_signal_async(at(words, next(1), i * 8), &values[i], 8,
                                               signal_of(next(1), 0), PGAS_SIGNAL_ADD, 1);
        }
        size_t middle = random_below(&state, HANDLES);
        pgas_waitsync(handles[middle]);
        handles[middle] = PGAS_HANDLE_COMPLETE;
        CHECK(PGAS_READ(uint64_t, at(words, next(1), middle * 8)) == values[middle]);
        for (size_t i = HANDLES; i-- > 0;)
            pgas_waitsync(handles[i]);
        pgas_signal_wait(own_signal(0), PGAS_GE, round * HANDLES);
        pgas_barrier();
    }
    CHECK(pgas_signal_fetch(own_signal(0)) == rounds * HANDLES);
}

static void rows_to_two(void)
{
    reset();
    for (uint64_t i = 1; i <= ROW; i++) {
        pgas_put_signal((pgas_ptr_t){0}, NULL, 0, signal_of(next(1), 0), PGAS_SIGNAL_ADD, 1);
        pgas_put_signal((pgas_ptr_t){0}, NULL, 0, signal_of(next(2), 1), PGAS_SIGNAL_SET, i);
    }
    CHECK(pgas_signal_wait(own_signal(0), PGAS_GE, ROW) == ROW);
    CHECK(pgas_signal_wait(own_signal(1), PGAS_GE, ROW) == ROW);
}

static void add_a_row(void)
{
    for (int i = 0; i < ROW; i++)
        pgas_put_signal((pgas_ptr_t){0}, NULL, 0, signal_of(next(1), 0), PGAS_SIGNAL_ADD, 3);
}

static void *attach_and_add(void *argument)
{
    CHECK(pgas_attach_thread() == PGAS_OK);
    add_a_row();
    pgas_detach_thread();
    return argument;
}

static void rows_of_two_threads(void)
{
    pthread_t second;
    reset();
    CHECK(pgas_attach_thread() == PGAS_OK);
    CHECK(pthread_create(&second, NULL, attach_and_add, NULL) == 0);
    add_a_row();
    CHECK(pgas_signal_wait(own_signal(0), PGAS_GE, UINT64_C(6) * ROW) == UINT64_C(6) * ROW);
    CHECK(pthread_join(second, NULL) == 0);
    pgas_detach_thread();
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    threads = pgas_threads();
    me = pgas_mythread();
    is_short = getenv("FATHOM_TEST_SANITIZED") != NULL;
    uint64_t seed = random_seed_of_job();
    size_t count = (size_t)threads;
    CHECK(pgas_all_alloc(count, (size_t)ROW * SLOT, &slots) == PGAS_OK);
    CHECK(pgas_all_alloc(count, ROW * sizeof(uint64_t), &words) == PGAS_OK);
    CHECK(pgas_all_alloc(count, 2 * sizeof(pgas_signal_t), &come) == PGAS_OK);
    CHECK(pgas_all_alloc(count, sizeof(uint64_t), &flag) == PGAS_OK);
    rows_while_computing(seed);
    rows_with_handles(seed);
    rows_to_two();
    rows_of_two_threads();
    reset();
    add_a_row();
    CHECK(pgas_signal_wait(own_signal(0), PGAS_GE, UINT64_C(3) * ROW) == UINT64_C(3) * ROW);
    pgas_finalize();
    return 0;
}
