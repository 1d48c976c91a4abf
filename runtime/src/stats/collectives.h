/**
 * What the process has moved in collective calls, by kind and algorithm (pgas/stats.h).
 *
 * The counts are those of all agents together, since one at a time is in a collective call
 * (sync/collective.h); another one may read them meanwhile. Calls in flight have counts of their
 * own, which belong to who has the turn (base/turn.h); those who ask are told the sum.
 */
#ifndef PGASI_STATS_COLLECTIVES_H
#define PGASI_STATS_COLLECTIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/detail.h>
#include <pgas/stats.h>

#include "shm/call.h"

enum {
    /** The most algorithms of a kind. */
    PGASI_COUNTED_ALGORITHMS = 16,
    PGASI_COUNTED_MAX = PGASI_COLLECTIVE_COUNT * PGASI_COUNTED_ALGORITHMS
};

/** The counts of a kind and an algorithm. */
typedef struct pgasi_counted {
    /** "": the only one. */
    const char *algorithm;
    uint64_t calls;
    uint64_t meetings;
    pgas_traffic_t traffic[PGAS_PLACES];
} pgasi_counted_t;

typedef pgasi_counted_t pgasi_counted_table_t[PGASI_COLLECTIVE_COUNT][PGASI_COUNTED_ALGORITHMS];

extern pgasi_counted_table_t pgasi_counted;
extern pgasi_counted_table_t pgasi_counted_in_flight;

/** To be called with the turn (base/turn.h). */
void pgasi_counted_reset(void);

static inline pgasi_counted_t *pgasi_count_in(pgasi_counted_t *counted, const char *name)
{
    __atomic_store_n(&counted->algorithm, name, __ATOMIC_RELAXED);
    pgasi_counter_add(&counted->calls, 1);
    return counted;
}

/** Counts a call; returns the counts that its meetings and messages go to. `algorithm` is a number
 *  of the kind's own, `name` its name, which is kept. */
static inline pgasi_counted_t *pgasi_count_call(uint32_t kind, unsigned algorithm, const char *name)
{
    return pgasi_count_in(&pgasi_counted[kind][algorithm], name);
}

/** The same for a call in flight. */
static inline pgasi_counted_t *pgasi_count_flight(uint32_t kind, unsigned algorithm,
                                                  const char *name)
{
    return pgasi_count_in(&pgasi_counted_in_flight[kind][algorithm], name);
}

/** Counts `nbytes` bytes that are read from the memory of `thread`, or sent there: of the caller's
 *  own, or of another one. */
static inline void pgasi_count_read(pgasi_counted_t *counted, bool is_own, uint32_t thread,
                                    size_t nbytes)
{
    const pgasi_peer_t *peers = pgasi_job.peers;
    bool is_near = peers[thread].node == peers[pgasi_job.thread].node;
    pgas_place_t place = is_own ? PGAS_OWN : is_near ? PGAS_LOCAL : PGAS_REMOTE;
    pgasi_counter_add(&counted->traffic[place].operations, 1);
    pgasi_counter_add(&counted->traffic[place].bytes, nbytes);
}

/** The same for what a thread has in its own memory. */
static inline void pgasi_count_message(pgasi_counted_t *counted, uint32_t thread, size_t nbytes)
{
    pgasi_count_read(counted, thread == pgasi_job.thread, thread, nbytes);
}

#endif
