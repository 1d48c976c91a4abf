/**
 * The clock of time limits and reports.
 */
#ifndef PGASI_BASE_CLOCK_H
#define PGASI_BASE_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

/** Nanoseconds since some instant in the past; never decreases. */
static inline uint64_t pgasi_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/** The same in microseconds, and in milliseconds. */
static inline uint64_t pgasi_microseconds(void)
{
    return pgasi_nanoseconds() / 1000;
}

static inline uint64_t pgasi_milliseconds(void)
{
    return pgasi_nanoseconds() / 1000000;
}

/** The instant in so many microseconds, by CLOCK_MONOTONIC. */
static inline struct timespec pgasi_in_time(unsigned microseconds)
{
    struct timespec then;
    clock_gettime(CLOCK_MONOTONIC, &then);
    then.tv_sec += microseconds / 1000000;
    then.tv_nsec += (long)(microseconds % 1000000) * 1000;
    if (then.tv_nsec >= 1000000000) {
        then.tv_nsec -= 1000000000;
        then.tv_sec++;
    }
    return then;
}

/** Sleeps so long, at most an hour, whatever signals the program has handlers for. */
static inline void pgasi_pause(unsigned milliseconds)
{
    const struct timespec end = pgasi_in_time(milliseconds * 1000);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
        continue;
}

#endif
