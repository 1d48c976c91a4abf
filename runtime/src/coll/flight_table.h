/**
 * Collectives in flight and their handles. They come from slabs that stay where they are, so that a
 * handle can be looked at by who does not have the turn (base/turn.h). All else is for who has it.
 */
#ifndef PGASI_COLL_FLIGHT_TABLE_H
#define PGASI_COLL_FLIGHT_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "coll/types.h"

/** One in flight; or one of the list of those that are free. */
typedef struct pgasi_flight {
    pgasi_coll_t coll;
    bool is_begun;
    /** What its next step waits for. */
    pgasi_next_t next_waits;
    struct pgasi_flight *next;
    uint32_t index;
    /** Distinguishes a handle from the entry's earlier ones. */
    _Atomic uint32_t generation;
} pgasi_flight_t;

/** Returns a copy of the collective that has not begun. Ends the job, naming the call, if there is
 *  no memory. */
pgasi_flight_t *pgasi_flight_alloc(const pgasi_coll_t *coll);

/** Frees it. Its handle says so after pgasi_flight_complete only. */
void pgasi_flight_free(pgasi_flight_t *flight);

/** Makes its handle the complete one: all that was done before is seen by who finds that. */
void pgasi_flight_complete(pgasi_flight_t *flight);

/** Whether none has been allocated yet. */
bool pgasi_flight_is_unused(void);

/** Memory for one that runs, of which there is one on a lane. Ends the job, naming the call, if
 *  there is none. */
pgasi_coll_memory_t *pgasi_flight_memory(const char *name);

/** Gives it back. */
void pgasi_flight_memory_free(pgasi_coll_memory_t *memory);

/** Its handle. */
uint64_t pgasi_flight_bits(const pgasi_flight_t *flight);

/** The one behind a handle; NULL if it is complete. Any thread may ask. */
pgasi_flight_t *pgasi_flight_of(uint64_t bits);

#endif
