/**
 * Exchanges, each with a barrier, one after the other: a late thread still gets the values of its
 * own exchange, however far the others have run ahead.
 *
 * Usage: runtime_exchange [EXCHANGES]
 */
#include "check.h"
#include "job_random.h"
#include "pause.h"

#include "sync/barrier.h"

enum {
    EXCHANGES = 4000,
    MOST_THREADS = 16
};

int main(int argc, char **argv)
{
    size_t exchanges = argc > 1 ? strtoull(argv[1], NULL, 10) : EXCHANGES;
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() <= MOST_THREADS);
    uint64_t seed = random_seed_of_job();
    uint64_t states[MOST_THREADS] = {0};
    uint64_t own = seed + (uint64_t)pgas_mythread() * 7919;
    for (int thread = 0; thread < pgas_threads(); thread++)
        states[thread] = seed + (uint64_t)thread;
    for (size_t i = 0; i < exchanges; i++) {
        uint64_t contribution = 0;
        uint64_t largest = 0;
        for (int thread = 0; thread < pgas_threads(); thread++) {
            uint64_t value = random_next(&states[thread]) >> random_below(&states[thread], 64);
            largest = value > largest ? value : largest;
            if (thread == pgas_mythread())
                contribution = value;
        }
        if (random_below(&own, 50) == 0) /* long enough that the others go to sleep */
            sleep_microseconds(random_below(&own, 1500));
        uint64_t maximum;
        uint64_t word;
        pgasi_sync_exchange(contribution, &maximum, i * 3 + 1, &word);
        CHECK(maximum == largest);
        CHECK(word == i * 3 + 1);
    }
    pgas_finalize();
    return 0;
}
