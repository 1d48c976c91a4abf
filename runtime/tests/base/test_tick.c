/**
 * Ticks never go back, and differ by what the system's clock says, without a job.
 */
#include <time.h>

#include <pgas/tick.h>

#include "check.h"

static uint64_t clock_ns(void)
{
    struct timespec now;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int main(void)
{
    enum {
        CALLS = 100000,
        SLEEP_NS = 2000000
    };
    uint64_t before = clock_ns();
    pgas_tick_t first = pgas_ticks_now();
    pgas_tick_t last = first;
    for (int i = 0; i < CALLS; i++) {
        pgas_tick_t now = pgas_ticks_now();
        CHECK(now >= last);
        last = now;
    }
    CHECK(nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL) == 0);
    last = pgas_ticks_now();
    uint64_t after = clock_ns();
    CHECK(pgas_ticks_to_ns(last - first) >= SLEEP_NS);
    CHECK(pgas_ticks_to_ns(last - first) <= after - before);
    CHECK(first > PGAS_TICK_MIN && last < PGAS_TICK_MAX);
    return 0;
}
