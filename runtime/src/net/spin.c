#include "net/spin.h"

#include "net/polling.h"

/* What is not measured yet may be a system call. */
#define UNKNOWN_NS 1000.0

static atomic_bool is_alone;
static _Atomic double cost_ns = UNKNOWN_NS;

struct pgasi_net_polling pgasi_net_polling = {
    .spins = 24, .per_yield = 1, .per_refusal = 2, .per_target = 3};

void pgasi_net_spin_init(bool alone)
{
    is_alone = alone;
    pgasi_net_spin_cost(cost_ns);
}

void pgasi_net_spin_cost(double nanoseconds)
{
    cost_ns = nanoseconds;
    const pgasi_polling_t polling = pgasi_polling_for(nanoseconds, is_alone);
    atomic_store_explicit(&pgasi_net_polling.spins, polling.spins, memory_order_relaxed);
    atomic_store_explicit(&pgasi_net_polling.per_yield, polling.per_yield, memory_order_relaxed);
    atomic_store_explicit(&pgasi_net_polling.per_refusal, polling.per_refusal,
                          memory_order_relaxed);
    atomic_store_explicit(&pgasi_net_polling.per_target, polling.per_target, memory_order_relaxed);
}
