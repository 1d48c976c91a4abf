/**
 * Bytes by thread, gathered over one call: an indexed or strided copy counts as one operation with
 * each thread, however many regions it names. Costs nothing for threads that are not named.
 */
#ifndef PGASI_VIS_PEER_COUNTER_H
#define PGASI_VIS_PEER_COUNTER_H

#include <stddef.h>
#include <stdint.h>

#include <pgas/stats.h>

typedef struct pgasi_peer_counter_entry {
    /** Distinguishes an entry of this call from those of earlier ones. */
    uint64_t epoch;
    uint64_t nbytes;
    /** The thread named before, to find those named again. */
    uint32_t before;
} pgasi_peer_counter_entry_t;

typedef struct pgasi_peer_counter {
    /** By thread. */
    pgasi_peer_counter_entry_t *entries;
    uint64_t epoch;
    uint32_t last;
    pgas_direction_t direction;
} pgasi_peer_counter_t;

/** The counter of gets or puts, emptied. */
pgasi_peer_counter_t *pgasi_peer_counter_begin(pgas_direction_t direction);

/** Adds a thread that this call has not named yet. */
void pgasi_peer_counter_name(pgasi_peer_counter_t *counter, uint32_t thread);

static inline void pgasi_peer_counter_add(pgasi_peer_counter_t *counter, uint32_t thread,
                                          size_t nbytes)
{
    pgasi_peer_counter_entry_t *entry = &counter->entries[thread];
    if (__builtin_expect(entry->epoch != counter->epoch, 0))
        pgasi_peer_counter_name(counter, thread);
    entry->nbytes += nbytes;
}

/** Frees what the calling agent has (base/agent.h). */
void pgasi_peer_counter_detach(void);

/** Counts one operation for each thread named. Takes NULL for a side without threads. */
void pgasi_peer_counter_count(pgasi_peer_counter_t *counter);

#endif
