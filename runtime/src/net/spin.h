/**
 * Spinning on the network.
 */
#ifndef PGASI_NET_SPIN_H
#define PGASI_NET_SPIN_H

#include <sched.h>
#include <stdbool.h>

#include "net/net.h"

/** A spin ends when nothing has come for so many iterations: fewer where threads share cores. An
 *  iteration reads the sockets, which takes about a microsecond; yielding costs less than that, and
 *  the thread waited for may share the core. */
extern unsigned pgasi_net_spins;

enum {
    PGASI_NET_SPINS_PER_YIELD = 4
};

/** Chooses their number, by whether every thread of the host has a core of its own. */
void pgasi_net_spin_init(bool alone);

/** Progresses the network for as long as a spin lasts; true as soon as `is_done(argument)`. For use
 *  between pgasi_net_progress_begin and _end. */
static inline bool pgasi_net_spin(bool (*is_done)(const void *argument), const void *argument)
{
    for (unsigned idle = 1; idle <= pgasi_net_spins; idle++) {
        if (is_done(argument))
            return true;
        if (pgasi_net_progress() != 0)
            idle = 0;
        else if (idle % PGASI_NET_SPINS_PER_YIELD == 0)
            sched_yield();
    }
    return is_done(argument);
}

#endif
