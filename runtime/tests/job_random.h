/**
 * One seed for all threads of a job.
 */
#ifndef RUNTIME_TESTS_JOB_RANDOM_H
#define RUNTIME_TESTS_JOB_RANDOM_H

#include "check.h"
#include "random.h"

/** The seed that thread 0 draws and prints. Collective. */
static inline uint64_t random_seed_of_job(void)
{
    pgas_ptr_t place;
    CHECK(pgas_all_alloc(1, sizeof(uint64_t), &place) == PGAS_OK);
    if (pgas_mythread() == 0) {
        PGAS_WRITE(uint64_t, place, random_seed());
    }
    pgas_barrier();
    uint64_t seed = PGAS_READ(uint64_t, place);
    pgas_all_free(place);
    pgas_stats_reset();
    return seed;
}

/** A seed for the calling thread, derived from the common one. */
static inline uint64_t random_seed_of_thread(uint64_t seed)
{
    return seed + 1 + (uint64_t)pgas_mythread() * UINT64_C(0xd1342543de82ef95);
}

#endif
