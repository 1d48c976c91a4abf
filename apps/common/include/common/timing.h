/**
 * Time, and statistics of several measurements.
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

/** The largest number of parts that a clock distinguishes. */
#define COMMON_PARTS 6

/** Seconds that the calling thread spent in each part of its work. */
typedef struct common_clock {
    double seconds[COMMON_PARTS];
    double last;
} common_clock_t;

/** Starts the clock. */
static inline void common_clock_start(common_clock_t *clock)
{
    clock->last = common_seconds();
}

/** Books the time since the last call, or the start, on `part`. */
static inline void common_clock_book(common_clock_t *clock, size_t part)
{
    double now = common_seconds();
    clock->seconds[part] += now - clock->last;
    clock->last = now;
}

/** The spread of `count` (> 0) values; sorts them in place. */
common_spread_t common_spread(double *values, size_t count);

#endif
