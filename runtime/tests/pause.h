/**
 * Clocks for tests of threads that wait, compute or sleep.
 */
#ifndef RUNTIME_TESTS_PAUSE_H
#define RUNTIME_TESTS_PAUSE_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

/** Seconds of a monotonic clock. */
static inline double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/** Seconds of processor time of the calling thread. */
static inline double own_cpu_seconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/** Sleeps without a call of the runtime. */
static inline void sleep_microseconds(unsigned long microseconds)
{
    struct timespec left = {(time_t)(microseconds / 1000000),
                            (long)(microseconds % 1000000) * 1000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

/**
 * A clock that slows down with the machine: a companion thread that wakes up every 10 ms if it can.
 * If other programs run too, or the machine stands still, fewer ticks pass. What takes many ticks
 * is therefore late for other reasons than the machine.
 */
enum {
    TICKS_PER_SECOND = 100
};

static atomic_uint ticks;

static inline void *count_ticks(void *unused)
{
    for (;;) {
        sleep_microseconds(1000000 / TICKS_PER_SECOND);
        atomic_fetch_add(&ticks, 1);
    }
    return unused;
}

/** Starts the clock; false if there is no thread for it. */
static inline bool ticks_start(void)
{
    pthread_t companion;
    return pthread_create(&companion, NULL, count_ticks, NULL) == 0 &&
           pthread_detach(companion) == 0;
}

static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/** The median of `count` (> 0) values, which are sorted. */
static inline double median_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

#endif
