#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include <pgas/detail.h>

#include "base/clock.h"

enum {
    /* Longer than most of what threads of a job do before they wait themselves (to combine or to
     * send 1 MiB takes up to a millisecond), shorter than the time slice of most kernels. */
    LONG_US = 2000,
    /* How long a core is then taken to be busy: at first, and more and more if every trial finds it
     * so. */
    LEAST_BUSY_US = 2000,
    MOST_BUSY_US = 128000,
    MORE = 8
};

bool pgasi_yield(void)
{
    static _Thread_local uint64_t busy_until;
    static _Thread_local uint64_t busy_us = LEAST_BUSY_US;
    uint64_t begin = pgasi_microseconds();
    if (begin < busy_until)
        return false;
    sched_yield();
    uint64_t end = pgasi_microseconds();
    if (end - begin < LONG_US) {
        busy_us = busy_us > LEAST_BUSY_US ? busy_us / MORE : LEAST_BUSY_US;
        return true;
    }
    busy_until = end + busy_us;
    if (busy_us < MOST_BUSY_US)
        busy_us *= MORE;
    return false;
}
