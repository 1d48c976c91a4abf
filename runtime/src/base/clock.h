/**
 * The clock of time limits and reports.
 */
#ifndef PGASI_BASE_CLOCK_H
#define PGASI_BASE_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

/** Milliseconds since some instant in the past; never decreases. */
static inline uint64_t pgasi_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/** The same in microseconds. */
static inline uint64_t pgasi_microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/** Sleeps so long, whatever signals the program has handlers for. */
static inline void pgasi_pause(unsigned milliseconds)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_nsec -= 1000000000;
        end.tv_sec++;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
        continue;
}

#endif
