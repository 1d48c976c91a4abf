/**
 * A thread that stands still for seconds while thousands of operations of others are under way to
 * it: all of them happen once, when it goes on, and their senders start them without waiting for
 * it. By remote memory access they complete while it stands.
 *
 * Usage: runtime_stopped [message | network [SECONDS]]: how puts, gets and a domain's operations
 * travel between nodes; the least time that it stands still
 *
 * Hostile orders:
 *   - it is stopped in a wait, in a computation, and amid operations of its own, with its progress
 *     thread;
 *   - gets, puts, atomic operations without and with old values, releases of locks, large puts and
 *     signals are begun, in this order, by all others at once, more of them than
 * credits and sockets take; the numbers of messages pass 2^32 and 2^40 meanwhile;
 *   - some are synchronised while it stands, some later, forwards and backwards.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "preset.h"
#include "stop.h"

enum {
    PUTS = 6000,
    GETS = 4000,
    /* They fill the target's queue in UCX's shared memory. */
    EARLY_SIGNALS = 50,
    UPDATES = 4000,
    FETCHES = 3000,
    LOCKS = 40,
    SIGNALS = 300,
    LARGES = 6,
    LARGE = 200000,
    /* After it has stood still, and all that starts at once has been started. */
    LONGER_US = 500000
};

/* In each segment, one for each thread of the job. */
typedef struct area {
    uint64_t put[PUTS];
    uint64_t got[GETS];
    uint64_t updated;
    uint64_t fetched;
    uint64_t by_domain;
    uint64_t behind[SIGNALS];
    pgas_signal_t come;
    pgas_lock_t locks[LOCKS];
    unsigned char large[LARGES][LARGE];
} area_t;

/* In each segment: what its owner is told. */
typedef struct board {
    uint64_t pid;
    uint64_t ready;
    uint64_t go;
    uint64_t over;
} board_t;

static int me;
static int threads;
static bool is_by_network;
static unsigned long stop_us = 2000000;
static pgas_ptr_t areas;
static pgas_ptr_t boards;
static pgas_atomic_domain_t *domain;

static pid_t stopped;
static atomic_bool all_begun;

static pgas_ptr_t at(int thread, size_t offset)
{
    return pgas_ptr_shift(pgas_ptr_on(areas, thread),
                          (ptrdiff_t)((size_t)me * sizeof(area_t) + offset));
}

static area_t *own_area(int of)
{
    return (area_t *)pgas_local(pgas_ptr_on(areas, me)) + of;
}

static board_t *own_board(void)
{
    return pgas_local(pgas_ptr_on(boards, me));
}

static void tell(int thread, size_t offset, uint64_t value)
{
    PGAS_WRITE(uint64_t, pgas_ptr_shift(pgas_ptr_on(boards, thread), (ptrdiff_t)offset), value);
}

static uint64_t value_of(uint64_t round, size_t i)
{
    return round << 32 | (uint64_t)me << 24 | i;
}

/* Continues it, when all has been begun that does not wait. */
static void *continue_later(void *unused)
{
    sleep_microseconds(stop_us);
    while (!atomic_load(&all_begun))
        sleep_microseconds(1000);
    sleep_microseconds(LONGER_US);
    process_continue(stopped);
    return unused;
}

static pthread_t stop(int victim)
{
    pthread_t companion;
    const pgas_ptr_t pid = pgas_ptr_shift(pgas_ptr_on(boards, victim), offsetof(board_t, pid));
    stopped = (pid_t)PGAS_READ(uint64_t, pid);
    atomic_store(&all_begun, false);
    process_stop(stopped);
    CHECK(pthread_create(&companion, NULL, continue_later, NULL) == 0);
    return companion;
}

/* What is under way of one thread. */
static struct {
    uint64_t sources[PUTS];
    uint64_t gets[GETS];
    uint64_t olds[FETCHES];
    unsigned char larges[LARGES][LARGE];
    pgas_handle_t put[PUTS];
    pgas_handle_t get[GETS];
    pgas_handle_t fetch[FETCHES];
    pgas_handle_t signal[SIGNALS];
    pgas_handle_t large[LARGES];
} mine;

static void add(int victim, size_t offset)
{
    if (is_by_network)
        pgas_atomic_domain_apply_asynci(domain, PGAS_ADD, at(victim, offset), 1, 0, PGAS_RELAXED,
                                        NULL);
    else
        PGAS_ATOMIC_UPDATE_ASYNCI(uint64_t, PGAS_ADD, at(victim, offset), 1, PGAS_RELAXED);
}

/* None of these starts waits for the target. */
static void begin_small(int victim, uint64_t round)
{
    for (size_t i = 0; i < GETS; i++)
        mine.get[i] = pgas_memget_async(
            &mine.gets[i], at(victim, offsetof(area_t, got) + i * sizeof(uint64_t)), 8);
    for (size_t i = 0; i < PUTS; i++) {
        mine.sources[i] = value_of(round, i);
        mine.put[i] =
            pgas_memput_async(at(victim, offsetof(area_t, put) + i * 8), &mine.sources[i], 8);
    }
    for (size_t i = 0; i < UPDATES; i++)
        add(victim, offsetof(area_t, by_domain));
}

static void begin_signals(int victim, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        mine.signal[i] =
            pgas_put_signal_async(at(victim, offsetof(area_t, behind) + i * 8), &mine.sources[i], 8,
                                  at(victim, offsetof(area_t, come)), PGAS_SIGNAL_ADD, 1);
}

/* By remote memory access they complete, whatever messages wait for the target. */
static void get_and_put_again(int victim, uint64_t round)
{
    for (size_t i = 0; i < 100; i++) {
        pgas_memput(at(victim, offsetof(area_t, put) + i * 8), &mine.sources[i], 8);
        uint64_t back = PGAS_READ(uint64_t, at(victim, offsetof(area_t, put) + i * 8));
        CHECK(back == value_of(round, i));
    }
}

static void begin_messages(int victim)
{
    for (size_t i = 0; i < UPDATES; i++)
        PGAS_ATOMIC_UPDATE_ASYNCI(uint64_t, PGAS_ADD, at(victim, offsetof(area_t, updated)), 1,
                                  PGAS_RELAXED);
    for (size_t i = 0; i < FETCHES; i++)
        mine.fetch[i] =
            PGAS_ATOMIC_FETCH_ASYNC(uint64_t, &mine.olds[i], PGAS_ADD,
                                    at(victim, offsetof(area_t, fetched)), 1, PGAS_RELAXED);
}

static void take_locks(int victim, pgas_lock_t *locks)
{
    pgas_memget(locks, at(victim, offsetof(area_t, locks)), LOCKS * sizeof *locks);
    for (size_t i = 0; i < LOCKS; i++)
        pgas_lock(locks[i]);
}

static void release_locks(const pgas_lock_t *locks)
{
    for (size_t i = 0; i < LOCKS; i++)
        pgas_unlock(locks[i]);
}

/* These, and releases of locks, may wait for what is under way. The signals come last, and are
 * behind all puts. */
static void begin_rest(int victim, uint64_t round)
{
    for (size_t i = 0; i < LARGES; i++) {
        memset(mine.larges[i], (int)(round + i), LARGE);
        mine.large[i] = pgas_memput_async(at(victim, offsetof(area_t, large) + i * LARGE),
                                          mine.larges[i], LARGE);
    }
    begin_signals(victim, is_by_network ? EARLY_SIGNALS : 0, SIGNALS);
}

static void finish_gets_and_puts(bool backwards)
{
    for (size_t k = 0; k < GETS; k++)
        pgas_waitsync(mine.get[backwards ? GETS - 1 - k : k]);
    if (backwards)
        pgas_waitsync_all(mine.put, PUTS);
    else
        for (size_t k = 0; k < PUTS; k++)
            pgas_waitsync(mine.put[k]);
}

static void check_olds(void)
{
    static bool seen[FETCHES];
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < FETCHES; i++) {
        CHECK(mine.olds[i] < FETCHES && !seen[mine.olds[i]]);
        seen[mine.olds[i]] = true;
    }
}

static void initiate(int victim, uint64_t round, const pgas_lock_t *locks)
{
    bool is_there = pgas_place_of(victim) != PGAS_REMOTE;
    begin_small(victim, round);
    if (is_by_network || is_there) {
        finish_gets_and_puts(round % 2 == 0);
        pgas_waitsynci();
    }
    if (is_by_network) {
        begin_signals(victim, 0, EARLY_SIGNALS);
        get_and_put_again(victim, round);
    }
    begin_messages(victim);
    if (me == 0)
        atomic_store(&all_begun, true);
    release_locks(locks);
    begin_rest(victim, round);
    if (!is_by_network && !is_there)
        finish_gets_and_puts(round % 2 == 0);
    pgas_waitsync_all(mine.fetch, FETCHES);
    pgas_waitsync_all(mine.large, LARGES);
    pgas_waitsync_all(mine.signal, SIGNALS);
    pgas_waitsynci();
    for (size_t i = 0; i < GETS; i++)
        CHECK(mine.gets[i] == value_of(round, i));
    check_olds();
}

/* Stands still somewhere in here. */
static void be_stopped(uint64_t round)
{
    const board_t *board = own_board();
    volatile double sum = 0;
    tell(0, offsetof(board_t, ready), round);
    if (round % 3 == 0)
        PGAS_WAIT_UNTIL(uint64_t, &board->over, PGAS_EQ, round);
    while (round % 3 == 1 && __atomic_load_n(&board->over, __ATOMIC_ACQUIRE) != round) {
        for (int i = 1; i < 10000; i++)
            sum = sum + 1.0 / i;
        pgas_fence(); /* PGAS_PROGRESS=poll */
    }
    while (round % 3 == 2 && __atomic_load_n(&board->over, __ATOMIC_ACQUIRE) != round)
        CHECK(PGAS_ATOMIC_FETCH_ADD(uint64_t, at(0, offsetof(area_t, updated)), 1, PGAS_RELAXED) <
              UINT64_MAX);
    for (int t = 0; t < threads; t++) {
        const area_t *area = own_area(t);
        if (t == me)
            continue;
        pgas_signal_wait(&area->come, PGAS_GE, SIGNALS);
        for (size_t i = 0; i < PUTS; i++)
            CHECK(area->put[i] == (round << 32 | (uint64_t)t << 24 | i));
        for (size_t i = 0; i < SIGNALS; i++)
            CHECK(area->behind[i] == area->put[i]);
        for (size_t i = 0; i < (size_t)LARGES * LARGE; i++)
            CHECK(area->large[i / LARGE][i % LARGE] == (unsigned char)(round + i / LARGE));
    }
}

static void clear(uint64_t round)
{
    for (int t = 0; t < threads; t++) {
        area_t *area = own_area(t);
        CHECK(area != NULL);
        memset(area->put, 0, sizeof area->put);
        for (size_t i = 0; i < GETS; i++)
            area->got[i] = round << 32 | (uint64_t)t << 24 | i;
        area->updated = area->fetched = area->by_domain = 0;
        memset(area->behind, 0, sizeof area->behind);
        memset(area->large, 255, sizeof area->large);
        pgas_signal_set(&area->come, 0);
    }
}

static void check_sums(void)
{
    for (int t = 0; t < threads; t++) {
        const area_t *area = own_area(t);
        if (t == me)
            continue;
        CHECK(area->fetched == FETCHES && area->come.value == SIGNALS);
        CHECK(area->updated == UPDATES && area->by_domain == UPDATES);
    }
}

static void one_round(int victim, uint64_t round, uint64_t number)
{
    pgas_lock_t locks[LOCKS] = {0};
    pthread_t companion = 0;
    clear(round);
    pgas_barrier();
    preset_messages(number);
    pgas_barrier();
    if (me != victim)
        take_locks(victim, locks);
    pgas_barrier();
    if (me == victim) {
        be_stopped(round);
    } else {
        if (me == 0) {
            PGAS_WAIT_UNTIL(uint64_t, &own_board()->ready, PGAS_EQ, round);
            companion = stop(victim);
            for (int t = 1; t < threads; t++)
                if (t != victim)
                    tell(t, offsetof(board_t, go), round);
        } else {
            PGAS_WAIT_UNTIL(uint64_t, &own_board()->go, PGAS_EQ, round);
        }
        initiate(victim, round, locks);
    }
    if (me == 0) {
        CHECK(pthread_join(companion, NULL) == 0);
        tell(victim, offsetof(board_t, over), round);
    }
    pgas_barrier();
    if (me == victim)
        check_sums();
    /* All releases have come, or will. */
    for (int t = 0; t < threads; t++) {
        if (me == (t + 1) % threads && t != victim) {
            const pgas_ptr_t theirs =
                pgas_ptr_shift(pgas_ptr_on(areas, victim),
                               (ptrdiff_t)((size_t)t * sizeof(area_t) + offsetof(area_t, locks)));
            pgas_memget(locks, theirs, sizeof locks);
            for (size_t i = 0; i < LOCKS; i++) {
                pgas_lock(locks[i]);
                pgas_unlock(locks[i]);
            }
        }
    }
    pgas_barrier();
}

/* Keys come with messages, whose target must be awake. */
static void get_key(int victim)
{
    uint64_t before = pgasi_net_rma_operations();
    uint64_t word = 0;
    for (int i = 0; i < 10000 && pgasi_net_rma_operations() == before; i++)
        pgas_memget(&word, at(victim, 0), sizeof word);
    CHECK(pgasi_net_rma_operations() > before);
}

int main(int argc, char **argv)
{
    is_by_network = argc > 1 && strcmp(argv[1], "network") == 0;
    if (argc > 2)
        stop_us = 1000000 * strtoul(argv[2], NULL, 10);
    CHECK(pgas_init() == PGAS_OK);
    me = pgas_mythread();
    threads = pgas_threads();
    size_t size = (size_t)threads * sizeof(area_t);
    CHECK(pgas_all_alloc((size_t)threads, size, &areas) == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)threads, sizeof(board_t), &boards) == PGAS_OK);
    *own_board() = (board_t){.pid = (uint64_t)getpid()};
    for (int t = 0; t < threads; t++)
        for (size_t i = 0; i < LOCKS; i++)
            CHECK(pgas_global_lock_alloc(&own_area(t)->locks[i]) == PGAS_OK);
    CHECK(pgas_atomic_domain_create(PGAS_UINT64, PGAS_OP_SET(PGAS_ADD), &domain) == PGAS_OK);
    CHECK(pgas_atomic_domain_way(domain) == (is_by_network ? PGAS_BY_NETWORK : PGAS_BY_PROCESSOR));
    int victim = threads - 1;
    if (is_by_network && pgas_place_of(victim) == PGAS_REMOTE)
        get_key(victim);
    pgas_barrier();
    one_round(victim, 1, (UINT64_C(1) << 32) - 20);
    one_round(victim, 2, (UINT64_C(1) << 40) - 20);
    one_round(victim, 3, (UINT64_C(3) << 40) - 1);
    pgas_atomic_domain_free(domain);
    pgas_finalize();
    return 0;
}
