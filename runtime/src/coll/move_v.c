/*
 * Collectives that move blocks of different sizes. A member that sends to several shows a table
 * first, of where each receiver's block begins and where the last ends, and then the blocks. All
 * but pgas_allgatherv end with a second meeting, since no member knows whether another's bytes are
 * many.
 */
#include <pgas/coll_async.h>

#include <pgas/detail.h>

#include "coll/fetch.h"
#include "coll/forms.h"
#include "copy/transfer.h"
#include "team/calls.h"

static void check_sizes(const char *call, const size_t *counts, const size_t *displs)
{
    if (counts == NULL || displs == NULL)
        pgasi_fatal(call, "there are no sizes or displacements: the pointer is NULL");
}

/* Blocks of all members, of which all may be empty. */
static void check_blocks(const pgasi_coll_t *coll, const void *blocks, const size_t *counts,
                         const size_t *displs)
{
    check_sizes(coll->name, counts, displs);
    for (uint32_t rank = 0; blocks == NULL && rank < pgasi_coll_team(coll)->size; rank++)
        pgasi_fetch_check_buffer(coll->name, blocks, counts[rank]);
}

#ifdef PGAS_DEBUG

/* The block for or from `rank`; if there is one only, that. */
typedef struct block {
    const char *at;
    size_t nbytes;
} block_t;

static block_t block_of(const pgasi_coll_t *coll, const void *buffer, const size_t *counts,
                        const size_t *displs, uint32_t rank)
{
    if (counts == NULL)
        return (block_t){buffer, coll->nbytes};
    return (block_t){(const char *)buffer + displs[rank], counts[rank]};
}

#endif

/* Each block that the caller sends against each that it receives; NULL: there is one, which may be
 * where the caller's own of the others is. */
static void check_apart(const pgasi_coll_t *coll, const size_t *src_counts,
                        const size_t *dst_counts)
{
#ifdef PGAS_DEBUG
    const pgas_team_t *team = pgasi_coll_team(coll);
    const bool has_one = src_counts == NULL || dst_counts == NULL;
    for (uint32_t i = 0; i < (src_counts != NULL ? team->size : 1); i++)
        for (uint32_t j = 0; j < (dst_counts != NULL ? team->size : 1); j++) {
            block_t src = block_of(coll, coll->src, src_counts, coll->src_displs, i);
            block_t dst = block_of(coll, coll->dst, dst_counts, coll->dst_displs, j);
            pgasi_fetch_check_apart(coll->name, src.at, src.nbytes, dst.at, dst.nbytes,
                                    has_one && i + j == team->rank);
        }
#else
    (void)coll, (void)src_counts, (void)dst_counts;
#endif
}

/* The beginning and the end of the caller's block at a member. */
typedef struct extent {
    uint64_t begin;
    uint64_t end;
} extent_t;

/* Shows the blocks of the source. The table counts from its own beginning. */
static void show_blocks(pgasi_coll_t *coll)
{
    uint32_t size = pgasi_coll_team(coll)->size;
    const size_t *counts = coll->src_counts;
    uint64_t end = (size + (uint64_t)1) * sizeof(uint64_t);
    size_t total = end;
    for (uint32_t rank = 0; rank < size; rank++)
        total = pgasi_fetch_sum(coll->name, total, counts[rank]);
    uint64_t *table = pgasi_stage_begin(coll->lane, total);
    for (uint32_t rank = 0; rank < size; rank++) {
        table[rank] = end;
        if (counts[rank] > 0)
            pgasi_copy((char *)table + end, (const char *)coll->src + coll->src_displs[rank],
                       counts[rank]);
        end += counts[rank];
    }
    table[size] = end;
}

static pgasi_next_t last_meeting(pgasi_coll_t *coll)
{
    (void)coll;
    return PGASI_NEXT_LAST_MEETING;
}

static void fetch_extent(pgasi_coll_t *coll, extent_t *extent, uint32_t rank)
{
    pgasi_fetch(coll, extent, rank, pgasi_coll_team(coll)->rank * sizeof(uint64_t), sizeof *extent);
}

static pgasi_next_t scatterv_read(pgasi_coll_t *coll)
{
    const extent_t *extent = coll->memory->scratch.memory;
    pgasi_fetch_check_size(coll, coll->root, extent->end - extent->begin, coll->nbytes);
    pgasi_fetch(coll, coll->dst, coll->root, extent->begin, coll->nbytes);
    coll->step = last_meeting;
    return PGASI_NEXT_READ;
}

static pgasi_next_t scatterv_extent(pgasi_coll_t *coll)
{
    pgasi_fetch_found(coll);
    fetch_extent(coll, pgasi_fetch_scratch(coll, sizeof(extent_t)), coll->root);
    coll->step = scatterv_read;
    return PGASI_NEXT_READ;
}

static pgasi_next_t scatterv_look(pgasi_coll_t *coll)
{
    return pgasi_fetch_look(coll, coll->root, 1, scatterv_extent);
}

static pgasi_next_t scatterv_show(pgasi_coll_t *coll)
{
    pgasi_stage_tell(coll->lane);
    if (pgasi_coll_is_root(coll))
        show_blocks(coll);
    coll->step = scatterv_look;
    return PGASI_NEXT_MEET;
}

static void scatterv(pgasi_coll_t *coll, pgas_team_t *team, const void *src, const size_t *counts,
                     const size_t *displs, void *dst, size_t nbytes, int root)
{
    coll->call = (pgasi_call_t){.call = PGASI_SCATTERV, .count = 1, .arguments = {(uint64_t)root}};
    pgasi_coll_begin(coll, team, scatterv_show);
    pgasi_fetch_set_root(coll, root);
    pgasi_fetch_check_buffer(coll->name, dst, nbytes);
    if (pgasi_coll_is_root(coll))
        check_blocks(coll, src, counts, displs);
    coll->src = src;
    coll->src_counts = counts;
    coll->src_displs = displs;
    coll->dst = dst;
    coll->nbytes = nbytes;
    if (pgasi_coll_is_root(coll))
        check_apart(coll, counts, NULL);
}

/* Reads what all members show to their places. */
static pgasi_next_t read_all(pgasi_coll_t *coll)
{
    uint32_t size = pgasi_coll_team(coll)->size;
    pgasi_fetch_found(coll);
    for (uint32_t rank = 0; rank < size; rank++) {
        size_t count = coll->dst_counts[rank];
        pgasi_fetch_check_size(coll, rank, coll->shown[rank].nbytes, count);
        if (count > 0)
            pgasi_fetch(coll, (char *)coll->dst + coll->dst_displs[rank], rank, 0, count);
    }
    coll->step = pgasi_coll_close;
    return PGASI_NEXT_READ;
}

static pgasi_next_t gatherv_look(pgasi_coll_t *coll)
{
    if (!coll->wants)
        return PGASI_NEXT_LAST_MEETING;
    return pgasi_fetch_look(coll, 0, pgasi_coll_team(coll)->size, read_all);
}

static pgasi_next_t gatherv_show(pgasi_coll_t *coll)
{
    pgasi_stage_tell(coll->lane);
    pgasi_stage_show(coll->lane, coll->src, coll->nbytes);
    coll->step = gatherv_look;
    return PGASI_NEXT_MEET;
}

static void gatherv(pgasi_coll_t *coll, pgas_team_t *team, const void *src, size_t nbytes,
                    void *dst, const size_t *counts, const size_t *displs, int root)
{
    coll->call = (pgasi_call_t){.call = PGASI_GATHERV, .count = 1, .arguments = {(uint64_t)root}};
    pgasi_coll_begin(coll, team, gatherv_show);
    pgasi_fetch_set_root(coll, root);
    pgasi_fetch_check_buffer(coll->name, src, nbytes);
    if (pgasi_coll_is_root(coll))
        check_blocks(coll, dst, counts, displs);
    coll->src = src;
    coll->nbytes = nbytes;
    coll->dst = dst;
    coll->dst_counts = counts;
    coll->dst_displs = displs;
    coll->wants = pgasi_coll_is_root(coll);
    coll->shown_bytes = SIZE_MAX; /* nobody knows */
    if (coll->wants)
        check_apart(coll, NULL, counts);
}

static void allgatherv(pgasi_coll_t *coll, pgas_team_t *team, const void *src, size_t nbytes,
                       void *dst, const size_t *counts, const size_t *displs)
{
    pgasi_team_require(coll->name, team);
    check_sizes(coll->name, counts, displs);
    coll->call = (pgasi_call_t){.call = PGASI_ALLGATHERV, .count = 2};
    pgasi_call_set_counts(&coll->call, counts, team->size);
    pgasi_coll_begin(coll, team, gatherv_show);
    pgasi_fetch_check_buffer(coll->name, src, nbytes);
    check_blocks(coll, dst, counts, displs);
    coll->src = src;
    coll->nbytes = nbytes;
    coll->dst = dst;
    coll->dst_counts = counts;
    coll->dst_displs = displs;
    coll->wants = true;
    coll->shown_bytes = 0;
    for (uint32_t rank = 0; rank < team->size; rank++)
        if (counts[rank] > coll->shown_bytes)
            coll->shown_bytes = counts[rank];
    pgasi_fetch_check_size(coll, team->rank, nbytes, counts[team->rank]);
    check_apart(coll, NULL, counts);
}

static pgasi_next_t alltoallv_read(pgasi_coll_t *coll)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    const extent_t *extents = coll->memory->scratch.memory;
    for (uint32_t i = 0; i < team->size; i++) {
        uint32_t rank = pgasi_fetch_neighbour(team, i);
        size_t count = coll->dst_counts[rank];
        pgasi_fetch_check_size(coll, rank, extents[rank].end - extents[rank].begin, count);
        if (count > 0)
            pgasi_fetch(coll, (char *)coll->dst + coll->dst_displs[rank], rank, extents[rank].begin,
                        count);
    }
    coll->step = last_meeting;
    return PGASI_NEXT_READ;
}

static pgasi_next_t alltoallv_extents(pgasi_coll_t *coll)
{
    uint32_t size = pgasi_coll_team(coll)->size;
    pgasi_fetch_found(coll);
    extent_t *extents = pgasi_fetch_scratch(coll, size * sizeof *extents);
    for (uint32_t rank = 0; rank < size; rank++)
        fetch_extent(coll, &extents[rank], rank);
    coll->step = alltoallv_read;
    return PGASI_NEXT_READ;
}

static pgasi_next_t alltoallv_look(pgasi_coll_t *coll)
{
    return pgasi_fetch_look(coll, 0, pgasi_coll_team(coll)->size, alltoallv_extents);
}

static pgasi_next_t alltoallv_show(pgasi_coll_t *coll)
{
    pgasi_stage_tell(coll->lane);
    show_blocks(coll);
    coll->step = alltoallv_look;
    return PGASI_NEXT_MEET;
}

static void alltoallv(pgasi_coll_t *coll, pgas_team_t *team, const void *src,
                      const size_t *src_counts, const size_t *src_displs, void *dst,
                      const size_t *dst_counts, const size_t *dst_displs)
{
    coll->call = (pgasi_call_t){.call = PGASI_ALLTOALLV};
    pgasi_coll_begin(coll, team, alltoallv_show);
    check_blocks(coll, src, src_counts, src_displs);
    check_blocks(coll, dst, dst_counts, dst_displs);
    coll->src = src;
    coll->src_counts = src_counts;
    coll->src_displs = src_displs;
    coll->dst = dst;
    coll->dst_counts = dst_counts;
    coll->dst_displs = dst_displs;
    check_apart(coll, src_counts, dst_counts);
}

PGASI_COLL_FORMS(pgas_scatterv,
                 (pgas_team_t * team, const void *src, const size_t *counts, const size_t *displs,
                  void *dst, size_t nbytes, int root),
                 scatterv(&coll, team, src, counts, displs, dst, nbytes, root))
PGASI_COLL_FORMS(pgas_gatherv,
                 (pgas_team_t * team, const void *src, size_t nbytes, void *dst,
                  const size_t *counts, const size_t *displs, int root),
                 gatherv(&coll, team, src, nbytes, dst, counts, displs, root))
PGASI_COLL_FORMS(pgas_allgatherv,
                 (pgas_team_t * team, const void *src, size_t nbytes, void *dst,
                  const size_t *counts, const size_t *displs),
                 allgatherv(&coll, team, src, nbytes, dst, counts, displs))
PGASI_COLL_FORMS(pgas_alltoallv,
                 (pgas_team_t * team, const void *src, const size_t *src_counts,
                  const size_t *src_displs, void *dst, const size_t *dst_counts,
                  const size_t *dst_displs),
                 alltoallv(&coll, team, src, src_counts, src_displs, dst, dst_counts, dst_displs))
