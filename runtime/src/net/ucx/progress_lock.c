#include "net/ucx/progress_lock.h"

#include <sched.h>
#include <stdatomic.h>

#include "base/clock.h"

static atomic_uint holder;
static atomic_bool is_wanted;
static _Thread_local bool is_mine __attribute__((tls_model("initial-exec")));

bool pgasi_ucx_progress_trylock(pgasi_ucx_progress_holder_t who)
{
    unsigned nobody = PGASI_UCX_HELD_BY_NOBODY;
    is_mine = atomic_compare_exchange_strong(&holder, &nobody, who);
    return is_mine;
}

bool pgasi_ucx_progress_lock_until(uint64_t limit)
{
    atomic_store(&is_wanted, true);
    for (unsigned tries = 1; !is_mine && !pgasi_ucx_progress_trylock(PGASI_UCX_HELD_BY_MAIN_THREAD);
         tries++) {
        if (tries % 64 != 0)
            continue;
        if (limit != UINT64_MAX && pgasi_milliseconds() >= limit)
            break;
        sched_yield();
    }
    atomic_store(&is_wanted, false);
    return is_mine;
}

void pgasi_ucx_progress_unlock(void)
{
    is_mine = false;
    atomic_store(&holder, PGASI_UCX_HELD_BY_NOBODY);
}

void pgasi_ucx_progress_leave(void)
{
    is_mine = false;
    atomic_store_explicit(&holder, PGASI_UCX_HELD_BY_NOBODY, memory_order_release);
}

bool pgasi_ucx_progress_is_mine(void)
{
    return is_mine;
}

pgasi_ucx_progress_holder_t pgasi_ucx_progress_holder(void)
{
    return (pgasi_ucx_progress_holder_t)atomic_load(&holder);
}

bool pgasi_ucx_progress_is_wanted(void)
{
    return atomic_load_explicit(&is_wanted, memory_order_relaxed);
}
