/**
 * Reading what other members show (team/stage.h), and the checks that collectives share.
 */
#ifndef PGASI_COLL_FETCH_H
#define PGASI_COLL_FETCH_H

#include <stddef.h>
#include <stdint.h>

#include <pgas/detail.h>
#include <pgas/ptr.h>
#include <pgas/types.h>

#include "coll/types.h"
#include "net/net.h"

/** Starts reading `nbytes` of what `rank` shows, from `offset` on; done when the next step is
 * taken, if this one returns PGASI_NEXT_READ. Counts as a get from that rank, however the bytes
 * come. */
void pgasi_fetch(pgasi_coll_t *coll, void *dst, uint32_t rank, size_t offset, size_t nbytes);

/** Copies bytes of the caller's own to its result, where they may lie already. */
void pgasi_fetch_own(pgasi_coll_t *coll, void *dst, const void *src, size_t nbytes);

/** After the meeting: takes step `then` when it is known where the bytes of `count` members from
 *  `first` on are, and how many; pgasi_fetch_find if coll->shown_bytes may be many, else at once.
 *  That step begins with pgasi_fetch_found. */
pgasi_next_t pgasi_fetch_look(pgasi_coll_t *coll, uint32_t first, uint32_t count,
                              pgasi_step_function_t *then);
pgasi_next_t pgasi_fetch_find(pgasi_coll_t *coll, uint32_t first, uint32_t count,
                              pgasi_step_function_t *then);
void pgasi_fetch_found(pgasi_coll_t *coll);

/** Where the bytes of a member are that have been found. */
static inline pgas_ptr_t pgasi_fetch_at(const pgasi_coll_t *coll, uint32_t rank)
{
    return coll->shown != NULL ? coll->shown[rank].at : pgasi_stage_find(coll->lane, rank);
}

/** The address of what a member shows, if it is on the caller's node; else NULL. */
static inline const void *pgasi_fetch_local(pgas_ptr_t at)
{
    if (pgasi_net_is_lent(at.offset))
        return at.thread == pgasi_job.thread ? pgasi_net_lent_at(at.offset) : NULL;
    return pgas_local(at);
}

/** A table for what each member shows. Ends the job if there is no memory. */
pgasi_shown_t *pgasi_fetch_table(pgasi_coll_t *coll);

/** Private memory; contents are lost with the next call. */
void *pgasi_fetch_scratch(pgasi_coll_t *coll, size_t nbytes);

/** The rank `distance` behind the caller's, round the end: members that read from all others begin
 *  with different ones. */
static inline uint32_t pgasi_fetch_neighbour(const pgas_team_t *team, uint32_t distance)
{
    return (uint32_t)(((uint64_t)team->rank + distance) % team->size);
}

/** Ends the job for a buffer that is null, unless it has no bytes. */
void pgasi_fetch_check_buffer(const char *call, const void *buffer, size_t nbytes);

/** In the debug build, ends the job if what is received overlaps what is sent, in more than
 * beginning at the same place if `may_be_same`. */
void pgasi_fetch_check_apart(const char *call, const void *src, size_t src_bytes, const void *dst,
                             size_t dst_bytes, bool may_be_same);

/** The same for a block and the whole of which it is a part, from `place` bytes on; where it lies
 *  there already, it is that part. */
void pgasi_fetch_check_block(const char *call, const void *block, size_t nbytes, const void *whole,
                             size_t whole_bytes, size_t place);

/** Sets the root; ends the job if it is no rank. */
void pgasi_fetch_set_root(pgasi_coll_t *coll, int root);

/** a * b and a + b; end the job if they overflow. */
size_t pgasi_fetch_product(const char *call, size_t a, size_t b);
size_t pgasi_fetch_sum(const char *call, size_t a, size_t b);

/** Ends the job unless `rank` gives the `nbytes` bytes that the caller expects. */
void pgasi_fetch_check_size(const pgasi_coll_t *coll, uint32_t rank, size_t given, size_t nbytes);

#endif
