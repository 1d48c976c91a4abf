#include "net/spin.h"

enum {
    SPINS_ALONE = 200,
    SPINS_CROWDED = 8
};

unsigned pgasi_net_spins = SPINS_CROWDED;

void pgasi_net_spin_init(bool alone)
{
    pgasi_net_spins = alone ? SPINS_ALONE : SPINS_CROWDED;
}
