/**
 * A lock for a few instructions, in shared or private memory; all zero is free.
 *
 * Waiting for it does not drive the network, so that handlers may take it too, and the main thread
 * and the progress thread of one thread may compete for it. Whoever holds it does not wait for
 * anything and sends nothing.
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

/** Between two tries: gives way now and then, since the holder may be waiting for this core. */
static inline void pgasi_guard_pause(unsigned turn)
{
    if (turn % 1024 == 0)
        usleep(50);
    else if (turn % 16 == 0)
        sched_yield();
}

static inline void pgasi_guard_lock(pgasi_guard_t *guard)
{
    for (unsigned turn = 1; atomic_exchange_explicit(&guard->held, 1, memory_order_acquire) != 0;
         turn++)
        pgasi_guard_pause(turn);
}

static inline void pgasi_guard_unlock(pgasi_guard_t *guard)
{
    atomic_store_explicit(&guard->held, 0, memory_order_release);
}

#endif
