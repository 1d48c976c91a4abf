/**
 * What the tests of attached operating-system threads share: workers, the threads that they run in,
 * and where each has memory.
 */
#ifndef RUNTIME_TESTS_ATTACH_WORKERS_H
#define RUNTIME_TESTS_ATTACH_WORKERS_H

#include <pthread.h>

#include "check.h"

enum {
    WORKERS = 4,
    AREA = 48 << 10, /* bytes of one worker at one thread */
    LARGE = 160 << 10
};

/** At every thread, AREA (LARGE) bytes of each worker of each thread. */
static pgas_ptr_t room;
static pgas_ptr_t large;

/** What workers_start passes on. */
static int numbers[WORKERS + 1] = {0, 1, 2, 3, 4};

/** Which of these belongs to a worker. */
static inline size_t area_of(int number)
{
    return (size_t)pgas_mythread() * WORKERS + (size_t)number;
}

/** Collective. */
static inline void workers_allocate(void)
{
    size_t areas = (size_t)pgas_threads() * WORKERS;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), areas * AREA, &room) == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), areas * LARGE, &large) == PGAS_OK);
}

/** Runs `body` in workers `first` to WORKERS - 1, in operating-system threads of their own. The
 *  argument is the worker's number + 1. */
static inline void workers_start(pthread_t *workers, int first, void *(*body)(void *))
{
    for (int i = first; i < WORKERS; i++)
        CHECK(pthread_create(&workers[i], NULL, body, &numbers[i + 1]) == 0);
}

static inline void workers_join(const pthread_t *workers, int first)
{
    for (int i = first; i < WORKERS; i++)
        CHECK(pthread_join(workers[i], NULL) == 0);
}

#endif
