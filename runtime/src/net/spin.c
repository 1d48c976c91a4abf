#include "net/spin.h"

#include <sched.h>

#include "net/net.h"

enum {
    SPINS_ALONE = 200,
    SPINS_CROWDED = 8
};

unsigned pgasi_net_spins = SPINS_CROWDED;

void pgasi_net_spin_init(bool alone)
{
    pgasi_net_spins = alone ? SPINS_ALONE : SPINS_CROWDED;
}

bool pgasi_net_spin(bool (*is_done)(const void *argument), const void *argument)
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
