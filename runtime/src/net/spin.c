#include "net/spin.h"

/* What is not measured yet may be a system call. */
static const double unknown_ns = 1000;

static bool is_alone;

pgasi_polling_t pgasi_net_polling = {.spins = 8, .per_yield = 4, .per_target = 3};

void pgasi_net_spin_init(bool alone)
{
    is_alone = alone;
    pgasi_net_spin_cost(unknown_ns);
}

void pgasi_net_spin_cost(double nanoseconds)
{
    pgasi_net_polling = pgasi_polling_for(nanoseconds, is_alone);
}
