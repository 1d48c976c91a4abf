/**
 * A spinlock for a few instructions, in shared or private memory; all zero is free.
 *
 * Waiting for it does not progress the network. So handlers may take it too, and the main thread
 * and the progress thread of a process may compete for it. A holder waits for nothing and sends
 * nothing.
 */
#ifndef PGASI_SHM_GUARD_H
#define PGASI_SHM_GUARD_H

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

typedef struct pgasi_guard {
    _Atomic uint32_t held;
} pgasi_guard_t;

/** Between two tries: yields now and then, since the holder may be waiting for this core. */
static inline void pgasi_guard_pause(unsigned tries)
{
    if (tries % 1024 == 0)
        usleep(50);
    else if (tries % 16 == 0)
        sched_yield();
}

static inline void pgasi_guard_lock(pgasi_guard_t *guard)
{
    for (unsigned tries = 1; atomic_exchange_explicit(&guard->held, 1, memory_order_acquire) != 0;
         tries++)
        pgasi_guard_pause(tries);
}

static inline void pgasi_guard_unlock(pgasi_guard_t *guard)
{
    atomic_store_explicit(&guard->held, 0, memory_order_release);
}

#endif
