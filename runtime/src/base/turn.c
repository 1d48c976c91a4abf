#include "base/turn.h"

#include <sched.h>
#include <stdatomic.h>

bool pgasi_turn_is_shared;

static atomic_bool is_taken;
static _Thread_local bool is_mine __attribute__((tls_model("initial-exec")));

bool pgasi_turn_try_shared(void)
{
    if (is_mine || atomic_load_explicit(&is_taken, memory_order_relaxed) ||
        atomic_exchange_explicit(&is_taken, true, memory_order_acquire))
        return false;
    is_mine = true;
    return true;
}

bool pgasi_turn_take_shared(void)
{
    if (is_mine)
        return false;
    while (!pgasi_turn_try_shared())
        sched_yield();
    return true;
}

void pgasi_turn_leave_shared(void)
{
    is_mine = false;
    atomic_store_explicit(&is_taken, false, memory_order_release);
}
