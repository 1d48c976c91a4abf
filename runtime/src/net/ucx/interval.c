#include "net/ucx/interval.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "net/net.h"
#include "net/ucx/failure.h"
#include "net/ucx/log.h"
#include "net/ucx/progress_lock.h"

static void (*callback)(void);
static atomic_bool is_left_to_main;

void pgasi_net_every_interval(void (*tick)(void))
{
    callback = tick;
}

/* The main thread may hold the lock all the time: then it calls the callback itself. */
void pgasi_ucx_interval_check(void)
{
    static uint64_t last;
    uint64_t now = pgasi_milliseconds();
    if (now - last < PGASI_NET_INTERVAL_MS)
        return;
    last = now;
    if (!pgasi_ucx_end_is_expected())
        pgasi_ucx_log_flush(2 * PGASI_UCX_GRACE_MS);
    if (callback == NULL)
        return;
    if (!pgasi_ucx_progress_trylock(PGASI_UCX_HELD_BY_PROGRESS_THREAD)) {
        atomic_store(&is_left_to_main, true);
        return;
    }
    callback();
    pgasi_ucx_progress_unlock();
}

void pgasi_ucx_interval_check_main(void)
{
    if (!atomic_load_explicit(&is_left_to_main, memory_order_relaxed))
        return;
    atomic_store(&is_left_to_main, false);
    callback();
}
