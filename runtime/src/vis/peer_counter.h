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
    /** Tells an entry of this call from what earlier ones have left. */
    uint64_t stamp;
    uint64_t nbytes;
    /** The thread named before, to find those named again. */
    uint32_t before;
} pgasi_peer_counter_entry_t;

typedef struct pgasi_peer_counter {
    /** By thread. */
    pgasi_peer_counter_entry_t *entries;
    uint64_t stamp;
    uint32_t last;
    pgas_direction_t direction;
} pgasi_peer_counter_t;

/** The tally of gets or puts, empty. */
pgasi_peer_counter_t *pgasi_peer_counter_begin(pgas_direction_t direction);

/** Notes a thread that this call has not named yet. */
void pgasi_peer_counter_name(pgasi_peer_counter_t *tally, uint32_t thread);

static inline void pgasi_peer_counter_add(pgasi_peer_counter_t *tally, uint32_t thread,
                                          size_t nbytes)
{
    pgasi_peer_counter_entry_t *entry = &tally->entries[thread];
    if (__builtin_expect(entry->stamp != tally->stamp, 0))
        pgasi_peer_counter_name(tally, thread);
    entry->nbytes += nbytes;
}

/** Counts one operation for each thread named. Takes NULL for a side without threads. */
void pgasi_peer_counter_count(pgasi_peer_counter_t *tally);

#endif
