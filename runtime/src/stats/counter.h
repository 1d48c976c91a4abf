/**
 * Reading and clearing counters that another operating-system thread may add to meanwhile
 * (pgasi_counter_add).
 */
#ifndef PGASI_STATS_COUNTER_H
#define PGASI_STATS_COUNTER_H

#include <stdint.h>

static inline uint64_t pgasi_counter_value(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/** What is added at the same moment may stay. */
/* NOLINTNEXTLINE(readability-non-const-parameter): it is written to */
static inline void pgasi_counter_clear(uint64_t *counter)
{
    __atomic_store_n(counter, 0, __ATOMIC_RELAXED);
}

/** Sets the counts of all agents of the process to zero, and those of collectives (stats.c). */
void pgasi_stats_reset(void);

#endif
