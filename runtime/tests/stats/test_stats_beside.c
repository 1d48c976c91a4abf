/* Counts that are read and reset while other operating-system threads of the process count
 * (pgas/stats.h): no count is torn, goes back without a reset, or is lost after one that nobody
 * counted beside; and the sums of all are right at the end. What ThreadSanitizer says of it is part
 * of the test. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pause.h"

enum {
    WORKERS = 3,
    ROUNDS = 200,
    BYTES = 48
};

static pgas_ptr_t room;
static _Atomic int working;

static uint64_t operations_of(const pgas_stats_t *stats, pgas_mode_t mode)
{
    uint64_t sum = 0;
    for (int place = 0; place < PGAS_PLACES; place++)
        for (int direction = 0; direction < PGAS_DIRECTIONS; direction++)
            sum += stats->traffic[place][mode][direction].operations;
    return sum;
}

static uint64_t calls_of(const char *collective)
{
    pgas_collective_traffic_t list[256];
    size_t count = pgas_stats_collectives(list, 256);
    uint64_t calls = 0;
    CHECK(count <= 256);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].collective, collective) == 0)
            calls += list[i].calls;
    return calls;
}

static void communicate(int round)
{
    char bytes[BYTES] = {0};
    pgas_ptr_t there = pgas_ptr_on(room, (pgas_mythread() + round) % pgas_threads());
    pgas_memput(there, bytes, BYTES);
    pgas_memget(bytes, there, BYTES);
    pgas_waitsync(pgas_memput_async(there, bytes, BYTES));
    pgas_put_val(there, 1, 3);
    CHECK(pgas_get_val(there, 3) < 1 << 24);
    PGAS_ATOMIC_UPDATE(uint64_t, PGAS_ADD, there, 1, PGAS_RELAXED);
}

/* The first one makes collective calls too. */
static void *work(void *first)
{
    CHECK(pgas_attach_thread() == PGAS_OK);
    for (int round = 0; round < ROUNDS; round++) {
        communicate(round);
        if (first != NULL && round % 4 == 0)
            CHECK(pgas_allreduce_int64(PGAS_TEAM_ALL, round, PGAS_MAX) == round);
        if (first != NULL && round % 4 == 1)
            pgas_waitsync(pgas_team_barrier_async(PGAS_TEAM_ALL));
    }
    pgas_detach_thread();
    working--;
    return NULL;
}

/* What the workers have done when all have ended. */
static uint64_t most_of(pgas_mode_t mode)
{
    return (uint64_t)WORKERS * ROUNDS * (mode == PGAS_INDIVIDUAL ? 2 : 1);
}

/* Reads while the workers count, and resets if `resets`. */
static void read_beside(bool resets)
{
    static const pgas_mode_t modes[] = {PGAS_INDIVIDUAL, PGAS_MODE_ATOMIC};
    uint64_t before[3] = {0};
    while (working > 0) {
        pgas_stats_t stats;
        pgas_stats_get(&stats);
        uint64_t now[] = {operations_of(&stats, modes[0]), operations_of(&stats, modes[1]),
                          calls_of("pgas_allreduce")};
        CHECK(now[0] <= most_of(modes[0]) && now[1] <= most_of(modes[1]) && now[2] <= ROUNDS / 4);
        for (int i = 0; i < 3 && !resets; i++) {
            CHECK(now[i] >= before[i]);
            before[i] = now[i];
        }
        if (resets)
            pgas_stats_reset();
        sleep_microseconds(100);
    }
}

static void run(bool resets)
{
    pthread_t workers[WORKERS];
    pgas_stats_t stats;
    pgas_stats_reset();
    working = WORKERS;
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_create(&workers[i], NULL, work, i == 0 ? &working : NULL) == 0);
    read_beside(resets);
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_join(workers[i], NULL) == 0);
    pgas_stats_get(&stats);
    if (!resets) {
        CHECK(operations_of(&stats, PGAS_INDIVIDUAL) == most_of(PGAS_INDIVIDUAL));
        CHECK(operations_of(&stats, PGAS_MODE_ATOMIC) == most_of(PGAS_MODE_ATOMIC));
        CHECK(operations_of(&stats, PGAS_CONTIGUOUS) >= 3 * most_of(PGAS_CONTIGUOUS));
        CHECK(calls_of("pgas_allreduce") == ROUNDS / 4);
    }
    pgas_barrier();
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_attach_thread() == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), BYTES, &room) == PGAS_OK);
    run(false);
    run(true);
    pgas_all_free(room);
    pgas_detach_thread();
    pgas_finalize();
    return 0;
}
