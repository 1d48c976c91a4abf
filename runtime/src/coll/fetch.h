/**
 * Reading what other members show (team/stage.h), and the checks that collectives share.
 */
#ifndef PGASI_COLL_FETCH_H
#define PGASI_COLL_FETCH_H

#include <stddef.h>
#include <stdint.h>

#include <pgas/types.h>

#include "team/stage.h"
#include "team/types.h"

/** Starts reading `nbytes` bytes, `offset` bytes from `at`; pgasi_fetch_wait completes all. */
void pgasi_fetch(void *dst, pgas_ptr_t at, size_t offset, size_t nbytes);
void pgasi_fetch_wait(void);

/** A table for what each member shows, which one collective at a time uses. Ends the job if there
 * is no memory. */
pgasi_shown_t *pgasi_fetch_table(const char *call, const pgas_team_t *team);

/** Private memory for one collective at a time, kept for the next. */
void *pgasi_fetch_scratch(const char *call, size_t nbytes);

/** The rank `distance` behind the caller's, round the end: members that read from all others begin
 *  with different ones. */
static inline uint32_t pgasi_fetch_neighbour(const pgas_team_t *team, uint32_t distance)
{
    return (uint32_t)(((uint64_t)team->rank + distance) % team->size);
}

/** Ends the job for a buffer that is null, unless it has no bytes. */
void pgasi_fetch_check_buffer(const char *call, const void *buffer, size_t nbytes);

/** Ends the job for a root that is no rank. */
void pgasi_fetch_check_root(const char *call, const pgas_team_t *team, int root);

/** a * b and a + b; end the job if they overflow. */
size_t pgasi_fetch_product(const char *call, size_t a, size_t b);
size_t pgasi_fetch_sum(const char *call, size_t a, size_t b);

/** Ends the job unless `rank` gives the `nbytes` bytes that the caller expects. */
void pgasi_fetch_check_size(const char *call, const pgas_team_t *team, uint32_t rank, size_t given,
                            size_t nbytes);

/** A hash of sizes by rank, to be compared. */
uint64_t pgasi_fetch_hash(const size_t *counts, uint32_t count);

#endif
