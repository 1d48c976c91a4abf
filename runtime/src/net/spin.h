/**
 * Spinning on the network.
 */
#ifndef PGASI_NET_SPIN_H
#define PGASI_NET_SPIN_H

#include <sched.h>
#include <stdbool.h>

#include "net/net.h"
#include "net/polling.h"

/** How this thread polls; as for an expensive transport until pgasi_net_spin_cost. */
extern pgasi_polling_t pgasi_net_polling;

/** Whether every thread of the host has a core of its own. */
void pgasi_net_spin_init(bool alone);

/** What a look at the network costs that finds nothing. */
void pgasi_net_spin_cost(double nanoseconds);

/** Progresses the network for as long as a spin lasts; true as soon as `is_done(argument)`. For use
 *  between pgasi_net_progress_begin and _end. */
static inline bool pgasi_net_spin(bool (*is_done)(const void *argument), const void *argument)
{
    for (unsigned idle = 1; idle <= pgasi_net_polling.spins; idle++) {
        if (is_done(argument))
            return true;
        if (pgasi_net_progress() != 0)
            idle = 0;
        else if (idle % pgasi_net_polling.per_yield == 0)
            sched_yield();
    }
    return is_done(argument);
}

#endif
