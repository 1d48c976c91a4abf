/**
 * Spinning on the network.
 */
#ifndef PGASI_NET_SPIN_H
#define PGASI_NET_SPIN_H

#include <stdatomic.h>
#include <stdbool.h>

#include <pgas/detail.h>

#include "net/net.h"
#include "net/polling.h"

/** A pgasi_polling_t that any thread reads; as for an expensive transport until
 *  pgasi_net_spin_cost. */
extern struct pgasi_net_polling {
    _Atomic unsigned spins;
    _Atomic unsigned per_yield;
    _Atomic unsigned per_refusal;
    _Atomic unsigned per_target;
} pgasi_net_polling;

static inline unsigned pgasi_net_spins(void)
{
    return atomic_load_explicit(&pgasi_net_polling.spins, memory_order_relaxed);
}

static inline unsigned pgasi_net_per_yield(void)
{
    return atomic_load_explicit(&pgasi_net_polling.per_yield, memory_order_relaxed);
}

static inline unsigned pgasi_net_per_refusal(void)
{
    return atomic_load_explicit(&pgasi_net_polling.per_refusal, memory_order_relaxed);
}

static inline unsigned pgasi_net_per_target(void)
{
    return atomic_load_explicit(&pgasi_net_polling.per_target, memory_order_relaxed);
}

enum {
    /** Looks at the network in one spin: some milliseconds of messages. */
    PGASI_NET_SPIN_MOST = 1 << 16
};

/** Whether every thread has a core of its own; may be told again. */
void pgasi_net_spin_init(bool alone);

/** What a look at the network costs that finds nothing. */
void pgasi_net_spin_cost(double nanoseconds);

/** Progresses the network for as long as a spin lasts; true as soon as `is_done(argument)`. While
 *  messages come it goes on, but ends some time, for waits with a limit. For use between
 *  pgasi_net_progress_begin and _end. */
static inline bool pgasi_net_spin(bool (*is_done)(const void *argument), const void *argument)
{
    unsigned left = PGASI_NET_SPIN_MOST;
    for (unsigned idle = 1; idle <= pgasi_net_spins() && left > 0; idle++, left--) {
        if (is_done(argument))
            return true;
        if (pgasi_net_progress() != 0)
            idle = 0;
        else if (idle % pgasi_net_per_yield() == 0 && !pgasi_yield())
            idle += pgasi_net_per_refusal();
    }
    return is_done(argument);
}

#endif
