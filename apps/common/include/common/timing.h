/**
 * Time, and what several measurements say.
 */
#ifndef COMMON_TIMING_H
#define COMMON_TIMING_H

#include <stddef.h>
#include <time.h>

/** Median, smallest and largest of a set of measurements. */
typedef struct common_spread {
    double median;
    double min;
    double max;
} common_spread_t;

/** Seconds since some fixed moment; the same clock for all threads of a host. */
static inline double common_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/** The spread of `count` (> 0) values; sorts them in place. */
common_spread_t common_spread(double *values, size_t count);

#endif
