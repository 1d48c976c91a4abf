/**
 * Time for tests of threads that wait, compute or sleep.
 */
#ifndef RUNTIME_TESTS_PAUSE_H
#define RUNTIME_TESTS_PAUSE_H

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/** Seconds of a clock that only goes forward. */
static inline double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/** Sleeps without a call of the runtime. */
static inline void sleep_microseconds(unsigned long microseconds)
{
    struct timespec left = {(time_t)(microseconds / 1000000),
                            (long)(microseconds % 1000000) * 1000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
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
