/**
 * Barriers, split-phase barriers and fences: no thread passes early, work between the halves, ids.
 *
 * Usage: runtime_sync [BARRIERS]
 */
#include <sched.h>
#include <stdlib.h>

#include "check.h"
#include "job_random.h"

static pgas_array_t counters; /* one per thread */

static void arrive(uint64_t turn)
{
    PGAS_PUT(uint64_t, &counters, (size_t)pgas_mythread(), turn);
}

/* All others have begun this round, and none can be beyond the next. */
static void check_arrived(uint64_t turn, size_t other)
{
    uint64_t counter = PGAS_GET(uint64_t, &counters, other);
    CHECK(counter >= turn && counter <= turn + 1);
}

static void restart(void)
{
    pgas_barrier();
    arrive(0);
    pgas_barrier();
}

static void check_barrier(uint64_t barriers, uint64_t *random)
{
    restart();
    for (uint64_t turn = 1; turn <= barriers; turn++) {
        arrive(turn);
        pgas_barrier();
        check_arrived(turn, random_below(random, (size_t)pgas_threads()));
    }
}

static void check_split(uint64_t barriers, uint64_t *random)
{
    volatile uint64_t work = 0;
    restart();
    for (uint64_t turn = 1; turn <= barriers; turn++) {
        arrive(turn);
        pgas_notify((int)turn);
        for (size_t i = random_below(random, 300); i > 0; i--)
            work = work + i;
        pgas_wait((int)turn);
        for (size_t other = 0; other < (size_t)pgas_threads(); other++)
            check_arrived(turn, other);
    }
}

/* Ids of all kinds, and no name at all, in one phase; barriers between the pairs. */
static void check_ids(uint64_t barriers, uint64_t *random)
{
    static const int ids[] = {0, 1, -1, INT_MAX, INT_MIN + 1, 42};
    restart();
    for (uint64_t turn = 1; turn <= barriers; turn++) {
        int id = ids[turn % (sizeof ids / sizeof ids[0])];
        arrive(turn);
        if (turn % 7 == 0) {
            pgas_barrier();
        } else {
            pgas_notify(random_below(random, 2) == 0 ? id : PGAS_ANONYMOUS);
            pgas_wait(random_below(random, 2) == 0 ? id : PGAS_ANONYMOUS);
        }
        check_arrived(turn, random_below(random, (size_t)pgas_threads()));
    }
}

/* A barrier on one thread meets an anonymous pair on another: both are one phase. */
static void check_barrier_meets_pair(void)
{
    restart();
    for (uint64_t turn = 1; turn <= 200; turn++) {
        arrive(turn);
        if ((turn + (uint64_t)pgas_mythread()) % 2 == 0) {
            pgas_barrier();
        } else {
            pgas_notify(PGAS_ANONYMOUS);
            pgas_wait(PGAS_ANONYMOUS);
        }
        check_arrived(turn, ((size_t)pgas_mythread() + 1) % (size_t)pgas_threads());
    }
}

/* Data, fence, flag: a thread that sees the flag sees the data. */
static void check_fence(void)
{
    size_t threads = (size_t)pgas_threads();
    size_t me = (size_t)pgas_mythread();
    size_t next = (me + 1) % threads;
    pgas_array_t data;
    pgas_array_t flags;
    CHECK(pgas_array_create(64 * threads, sizeof(long), 64, &data) == PGAS_OK);
    CHECK(pgas_array_create(threads, sizeof(long), 1, &flags) == PGAS_OK);
    PGAS_PUT(long, &flags, me, 0L);
    pgas_barrier();
    for (long turn = 1; turn <= 300; turn++) {
        for (size_t i = 0; i < 64; i++)
            PGAS_PUT(long, &data, 64 * next + i, turn + (long)i);
        pgas_fence();
        PGAS_PUT(long, &flags, next, turn);
        while (PGAS_GET(long, &flags, me) < turn) {
            sched_yield();
            pgas_fence();
        }
        pgas_fence();
        const long *mine = pgas_array_mine(&data);
        for (size_t i = 0; i < 64; i++)
            CHECK(mine[i] == turn + (long)i);
        pgas_barrier();
    }
    pgas_array_free(&data);
    pgas_array_free(&flags);
}

int main(int argc, char **argv)
{
    uint64_t barriers = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
    CHECK(pgas_init() == PGAS_OK);
    uint64_t random = random_seed_of_thread(random_seed_of_job());
    CHECK(pgas_array_create((size_t)pgas_threads(), sizeof(uint64_t), 1, &counters) == PGAS_OK);
    check_barrier(barriers, &random);
    check_split(barriers / 10, &random);
    check_ids(barriers / 10, &random);
    check_barrier_meets_pair();
    check_fence();
    pgas_array_free(&counters);
    pgas_finalize();
    return 0;
}
