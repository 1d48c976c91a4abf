/**
 * Single accesses after pauses, to a thread that sleeps in a barrier: each must wake it. Prints the
 * longest time.
 *
 * Usage: runtime_net_stalls [ACCESSES]
 */
#include <stdio.h>

#include "check.h"
#include "job_random.h"
#include "pause.h"

enum {
    LONGEST_PAUSE_US = 50000
};

/* A missed wake-up costs seconds, or blocks for ever. */
enum {
    LIMIT_TICKS = 5 * TICKS_PER_SECOND
};

static double access_s(pgas_ptr_t target, uint64_t value, bool write)
{
    double begin = seconds_now();
    unsigned before = atomic_load(&ticks);
    if (write)
        PGAS_WRITE(uint64_t, target, value);
    else
        CHECK(PGAS_READ(uint64_t, target) == value);
    CHECK(atomic_load(&ticks) - before < LIMIT_TICKS);
    return seconds_now() - begin;
}

int main(int argc, char **argv)
{
    size_t accesses = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
    CHECK(pgas_init() == PGAS_OK);
    CHECK(ticks_start());
    uint64_t random = random_seed_of_thread(random_seed_of_job());
    size_t threads = (size_t)pgas_threads();
    pgas_ptr_t target; /* in the memory of thread 0, one word for each */
    CHECK(pgas_all_alloc(1, threads * sizeof(uint64_t), &target) == PGAS_OK);
    target.offset += (uint64_t)pgas_mythread() * sizeof(uint64_t);
    uint64_t value = random_next(&random);
    PGAS_WRITE(uint64_t, target, value);
    pgas_barrier();
    double longest = 0;
    for (size_t i = 0; i < accesses && pgas_mythread() != 0; i++) {
        bool write = random_below(&random, 2) == 0;
        if (write)
            value = random_next(&random);
        sleep_microseconds(random_below(&random, LONGEST_PAUSE_US));
        double seconds = access_s(target, value, write);
        if (seconds > longest)
            longest = seconds;
    }
    if (pgas_mythread() != 0)
        printf("thread %d: the longest of %zu accesses took %.3f ms\n", pgas_mythread(), accesses,
               longest * 1e3);
    pgas_barrier();
    target.offset -= (uint64_t)pgas_mythread() * sizeof(uint64_t);
    pgas_all_free(target);
    pgas_finalize();
    return 0;
}
