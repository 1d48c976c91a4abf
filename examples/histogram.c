/**
 * Counts random numbers into a table that is spread over all threads, by atomic additions without a
 * result: they are in flight together and, to other nodes, travel many in a message.
 *
 *   fathom-run -n 4 --nodes 2 histogram NUMBERS [BINS]
 */
#include <pgas/pgas.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 32;
}

/** Counts the calling thread's numbers; returns the seconds until all threads have counted. */
static double count(const pgas_array_t *bins, size_t numbers)
{
    uint64_t state = (uint64_t)pgas_mythread();
    pgas_stats_reset(); /* PGAS_STATS tells what comes from here on */
    pgas_barrier();
    pgas_tick_t begin = pgas_ticks_now();
    for (size_t i = 0; i < numbers; i++)
        PGAS_ATOMIC_UPDATE_ASYNCI(uint64_t, PGAS_INC,
                                  pgas_array_at(bins, next_random(&state) % bins->count), 0,
                                  PGAS_RELAXED);
    pgas_waitsynci();
    pgas_barrier();
    return 1e-9 * (double)pgas_ticks_to_ns(pgas_ticks_now() - begin);
}

/** What the calling thread's bins hold together. */
static uint64_t sum_of_mine(const pgas_array_t *bins)
{
    uint64_t sum = 0;
    PGAS_FORBLOCKS (b, bins) {
        const uint64_t *mine = b.first;
        for (size_t i = b.begin; i < b.end; i++)
            sum += mine[i - b.begin];
    }
    return sum;
}

int main(int argc, char **argv)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    size_t numbers = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    size_t size = argc > 2 ? strtoul(argv[2], NULL, 10) : 1024;
    if (argc > 3 || numbers == 0 || size == 0)
        pgas_fail(2, "usage: histogram NUMBERS [BINS], both at least 1; NUMBERS of every thread");
    pgas_array_t bins; /* fresh shared memory is zero */
    pgas_array_t sums; /* one for each thread */
    if (pgas_array_create(size, sizeof(uint64_t), PGAS_BLOCK_EVEN, &bins) != PGAS_OK ||
        pgas_array_create((size_t)pgas_threads(), sizeof(uint64_t), 1, &sums) != PGAS_OK)
        pgas_exit(1);
    double took = count(&bins, numbers);
    *(uint64_t *)pgas_array_mine(&sums) = sum_of_mine(&bins);
    pgas_barrier();
    if (pgas_mythread() == 0) {
        uint64_t all = 0;
        for (size_t t = 0; t < sums.count; t++)
            all += PGAS_GET(uint64_t, &sums, t);
        printf("%llu numbers counted in %.2f ms\n", (unsigned long long)all, took * 1e3);
        if (all != (uint64_t)numbers * sums.count)
            pgas_fail(1, "that is not what was to be counted");
    }
    pgas_array_free(&sums);
    pgas_array_free(&bins);
    pgas_finalize();
    return 0;
}
