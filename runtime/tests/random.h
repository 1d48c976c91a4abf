/**
 * Random numbers for tests, repeatable from a seed: PGAS_TEST_SEED, or a new one for every run.
 */
#ifndef RUNTIME_TESTS_RANDOM_H
#define RUNTIME_TESTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/** A seed for one process, printed. */
static inline uint64_t random_seed(void)
{
    const char *text = getenv("PGAS_TEST_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t seed = text != NULL ? strtoull(text, NULL, 10)
                                 : (uint64_t)now.tv_sec * 1000000007U + (uint64_t)now.tv_nsec;
    printf("PGAS_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

/** The next number of the sequence whose state is `state` (splitmix64). */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/** A number below `bound`, which is not 0. */
static inline size_t random_below(uint64_t *state, size_t bound)
{
    return (size_t)(random_next(state) % bound);
}

/** A number of random order of magnitude, at most `most`; that itself one time in sixteen. */
static inline size_t random_size(uint64_t *state, size_t most)
{
    if (random_below(state, 16) == 0)
        return most;
    size_t number = (size_t)(random_next(state) >> random_below(state, 64));
    return number <= most ? number : number % (most + 1);
}

#endif
