/**
 * How a waiting thread polls the network: parameters that follow from what a look costs. Knows no
 * network.
 *
 * A look at sockets is a system call, one at memory takes some nanoseconds. Who waits for something
 * cheap looks often and yields seldom; where threads share cores, it yields soon in either case,
 * since the thread waited for may need the core.
 */
#ifndef PGASI_NET_POLLING_H
#define PGASI_NET_POLLING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pgasi_polling {
    /** A spin ends when nothing has come for so many iterations. */
    unsigned spins;
    /** Iterations without anything until the thread yields. */
    unsigned per_yield;
    /** Iterations that pass at once when a yield is refused, since others keep the core
     *  (pgasi_yield). */
    unsigned per_refusal;
    /** While replies are awaited: looks at them for each look at what others request. */
    unsigned per_target;
} pgasi_polling_t;

/** The parameters for looks of `nanoseconds`. `alone`: every thread of the host has a core. */
pgasi_polling_t pgasi_polling_for(double nanoseconds, bool alone);

/** Whether a main thread that has progressed `times` times in so many microseconds does so often
 *  enough to serve others by itself. One that polls now and then does not. */
bool pgasi_polling_is_frequent(unsigned times, uint64_t microseconds);

#endif
