/**
 * Bytes by thread, gathered over one call: an indexed or strided copy counts as one operation with
 * each thread, however many regions it names. Costs nothing for threads that are not named.
 */
#ifndef PGASI_VIS_TALLY_H
#define PGASI_VIS_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include <pgas/stats.h>

typedef struct pgasi_tally_entry {
    /** Tells an entry of this call from what earlier ones have left. */
    uint64_t stamp;
    uint64_t nbytes;
    /** The thread named before, to find those named again. */
    uint32_t before;
} pgasi_tally_entry_t;

typedef struct pgasi_tally {
    /** By thread. */
    pgasi_tally_entry_t *entries;
    uint64_t stamp;
    uint32_t last;
    pgas_direction_t direction;
} pgasi_tally_t;

/** The tally of gets or puts, empty. */
pgasi_tally_t *pgasi_tally_begin(pgas_direction_t direction);

/** Notes a thread that this call has not named yet. */
void pgasi_tally_name(pgasi_tally_t *tally, uint32_t thread);

static inline void pgasi_tally_add(pgasi_tally_t *tally, uint32_t thread, size_t nbytes)
{
    pgasi_tally_entry_t *entry = &tally->entries[thread];
    if (__builtin_expect(entry->stamp != tally->stamp, 0))
        pgasi_tally_name(tally, thread);
    entry->nbytes += nbytes;
}

/** Counts one operation for each thread named. Takes NULL for a side without threads. */
void pgasi_tally_count(pgasi_tally_t *tally);

#endif
