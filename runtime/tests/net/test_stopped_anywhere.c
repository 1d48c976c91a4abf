/**
 * Threads that are stopped anywhere in their use of one-sided operations, locks and signals, for up
 * to two seconds: nothing is lost or done twice, and the job goes on.
 *
 * Usage: runtime_stopped_anywhere [STOPS]
 *
 * Hostile orders, by chance: the one that stands still holds a lock, is the next in its queue, has
 * sent half of a message, has a put acknowledged or not, progresses the network or not, and is
 * waited for by all others. First thread 0 stops others, then thread 1 stops thread 0.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "job_random.h"
#include "stop.h"

enum {
    MOST_THREADS = 16,
    WORDS = 64,
    LONGEST_STOP_US = 2000000,
    LONGEST_RUN_US = 100000
};

/* In each segment. */
typedef struct board {
    uint64_t pid;
    uint64_t over;
    uint64_t counter;
    uint64_t updates;
    uint64_t locked;
    pgas_signal_t signal;
    pgas_lock_t lock;
    /* One row for each thread that writes here. */
    uint64_t words[MOST_THREADS][WORDS];
} board_t;

/* How often a thread has done each to each other. */
typedef struct tally {
    uint64_t counter;
    uint64_t updates;
    uint64_t locked;
    uint64_t signals;
} tally_t;

static int me;
static int threads;
static uint64_t state;
static pgas_ptr_t boards;
static pgas_ptr_t tallies;
static pgas_lock_t locks[MOST_THREADS];
static pid_t pids[MOST_THREADS];

static unsigned long stops = 5;
static uint64_t stopper_state;
static atomic_bool has_stopped_all;

static pgas_ptr_t at(int thread, size_t offset)
{
    return pgas_ptr_shift(pgas_ptr_on(boards, thread), (ptrdiff_t)offset);
}

static board_t *own_board(void)
{
    return pgas_local(pgas_ptr_on(boards, me));
}

static tally_t *tally_of(int thread)
{
    return (tally_t *)pgas_local(pgas_ptr_on(tallies, me)) + thread;
}

static void *stop_others(void *unused)
{
    for (unsigned long i = 0; i < stops; i++) {
        int victim = me == 1 ? 0 : 1 + (int)random_below(&stopper_state, (size_t)threads - 1);
        sleep_microseconds(1 + random_below(&stopper_state, LONGEST_RUN_US));
        process_stop(pids[victim]);
        sleep_microseconds(1 + random_size(&stopper_state, LONGEST_STOP_US));
        process_continue(pids[victim]);
    }
    atomic_store(&has_stopped_all, true);
    return unused;
}

static void write_and_read(int other)
{
    const size_t row = offsetof(board_t, words) + sizeof(uint64_t[WORDS]) * (size_t)me;
    uint64_t written[WORDS];
    uint64_t read[WORDS];
    pgas_handle_t handles[WORDS];
    size_t count = 1 + random_below(&state, WORDS);
    for (size_t i = 0; i < count; i++) {
        written[i] = random_next(&state);
        handles[i] = pgas_memput_async(at(other, row + 8 * i), &written[i], 8);
    }
    pgas_waitsync_all(handles, count);
    for (size_t i = 0; i < count; i++)
        handles[i] = pgas_memget_async(&read[i], at(other, row + 8 * i), 8);
    pgas_waitsync_all(handles, count);
    CHECK(memcmp(read, written, 8 * count) == 0);
}

static void count(int other)
{
    pgas_ptr_t word = at(other, offsetof(board_t, counter));
    uint64_t before = PGAS_ATOMIC_FETCH_ADD(uint64_t, word, 1, PGAS_RELAXED);
    CHECK(PGAS_ATOMIC_LOAD(uint64_t, word, PGAS_RELAXED) > before);
    tally_of(other)->counter++;
}

static void update(int other)
{
    size_t times = random_below(&state, 200);
    for (size_t i = 0; i < times; i++)
        PGAS_ATOMIC_UPDATE_ASYNCI(uint64_t, PGAS_ADD, at(other, offsetof(board_t, updates)), 1,
                                  PGAS_RELAXED);
    tally_of(other)->updates += times;
    if (random_below(&state, 2) == 0)
        pgas_waitsynci();
}

/* The lock is one thread's, the word that it protects lies with the next one. */
static void add_under_lock(int other)
{
    pgas_ptr_t word = at((other + 1) % threads, offsetof(board_t, locked));
    pgas_lock(locks[other]);
    uint64_t value = PGAS_READ(uint64_t, word);
    PGAS_WRITE(uint64_t, word, value + 1);
    pgas_unlock(locks[other]);
    tally_of((other + 1) % threads)->locked++;
}

static void send_signals(int other)
{
    size_t times = random_below(&state, 5);
    for (size_t i = 0; i < times; i++)
        pgas_put_signal((pgas_ptr_t){0}, NULL, 0, at(other, offsetof(board_t, signal)),
                        PGAS_SIGNAL_ADD, 1);
    tally_of(other)->signals += times;
}

static void one_step(void)
{
    int other = (int)random_below(&state, (size_t)threads);
    switch (random_below(&state, 6)) {
    case 0:
        write_and_read(other);
        break;
    case 1:
        count(other);
        break;
    case 2:
        update(other);
        break;
    case 3:
        add_under_lock(other);
        break;
    case 4:
        send_signals(other);
        break;
    default:
        sleep_microseconds(random_below(&state, 300));
    }
}

static void work(int stopper, uint64_t half)
{
    pthread_t companion;
    const board_t *board = own_board();
    if (me == stopper) {
        atomic_store(&has_stopped_all, false);
        CHECK(pthread_create(&companion, NULL, stop_others, NULL) == 0);
    }
    while (__atomic_load_n(&board->over, __ATOMIC_ACQUIRE) < half) {
        for (int i = 0; i < 10; i++)
            one_step();
        if (me != stopper || !atomic_load(&has_stopped_all))
            continue;
        CHECK(pthread_join(companion, NULL) == 0);
        for (int t = 0; t < threads; t++)
            PGAS_WRITE(uint64_t, at(t, offsetof(board_t, over)), half);
    }
    pgas_waitsynci();
    pgas_barrier();
}

static void check(void)
{
    tally_t sum = {0};
    tally_t theirs;
    const board_t *board = own_board();
    for (int t = 0; t < threads; t++) {
        pgas_memget(&theirs, pgas_ptr_shift(pgas_ptr_on(tallies, t), (ptrdiff_t)sizeof theirs * me),
                    sizeof theirs);
        sum.counter += theirs.counter;
        sum.updates += theirs.updates;
        sum.locked += theirs.locked;
        sum.signals += theirs.signals;
    }
    pgas_signal_wait(&board->signal, PGAS_GE, sum.signals);
    pgas_barrier();
    CHECK(pgas_signal_fetch(&board->signal) == sum.signals);
    CHECK(board->counter == sum.counter && board->updates == sum.updates);
    CHECK(board->locked == sum.locked);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        stops = strtoul(argv[1], NULL, 10);
    CHECK(pgas_init() == PGAS_OK);
    me = pgas_mythread();
    threads = pgas_threads();
    CHECK(threads >= 2 && threads <= MOST_THREADS);
    state = random_seed_of_thread(random_seed_of_job());
    stopper_state = random_next(&state);
    CHECK(pgas_all_alloc((size_t)threads, sizeof(board_t), &boards) == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)threads, (size_t)threads * sizeof(tally_t), &tallies) == PGAS_OK);
    *own_board() = (board_t){.pid = (uint64_t)getpid()};
    CHECK(pgas_global_lock_alloc(&own_board()->lock) == PGAS_OK);
    memset(tally_of(0), 0, (size_t)threads * sizeof(tally_t));
    pgas_barrier();
    for (int t = 0; t < threads; t++) {
        pids[t] = (pid_t)PGAS_READ(uint64_t, at(t, offsetof(board_t, pid)));
        pgas_memget(&locks[t], at(t, offsetof(board_t, lock)), sizeof locks[t]);
    }
    pgas_barrier();
    work(0, 1);
    check();
    pgas_barrier();
    work(1, 2);
    check();
    pgas_finalize();
    return 0;
}
