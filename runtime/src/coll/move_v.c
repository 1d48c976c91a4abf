/*
 * Collectives that move blocks of different sizes. A member that sends to several shows a table
 * first, of where each receiver's block begins and where the last ends, and then the blocks. All
 * but pgas_allgatherv end with a second meeting, since no member knows whether another's bytes are
 * many.
 */
#include <pgas/coll.h>

#include <string.h>

#include "coll/fetch.h"
#include "copy/transfer.h"
#include "team/meet.h"

static void check_sizes(const char *call, const size_t *counts, const size_t *displs)
{
    if (counts == NULL || displs == NULL)
        pgasi_fatal(call, "there are no sizes or displacements: the pointer is NULL");
}

/* Shows the blocks of `src`. The table counts from its own beginning. */
static void show_blocks(const char *call, pgas_team_t *team, const void *src, const size_t *counts,
                        const size_t *displs)
{
    uint64_t end = (team->size + (uint64_t)1) * sizeof(uint64_t);
    size_t total = end;
    for (uint32_t rank = 0; rank < team->size; rank++)
        total = pgasi_fetch_sum(call, total, counts[rank]);
    uint64_t *table = pgasi_stage_begin(team, total);
    for (uint32_t rank = 0; rank < team->size; rank++) {
        table[rank] = end;
        if (counts[rank] > 0)
            memcpy((char *)table + end, (const char *)src + displs[rank], counts[rank]);
        end += counts[rank];
    }
    table[team->size] = end;
}

/* The beginning and the end of the caller's block at a member. */
typedef struct extent {
    uint64_t begin;
    uint64_t end;
} extent_t;

static void fetch_extent(const pgas_team_t *team, extent_t *extent, pgas_ptr_t table)
{
    pgasi_fetch(extent, table, team->rank * sizeof(uint64_t), sizeof *extent);
}

void pgas_scatterv(pgas_team_t *team, const void *src, const size_t *counts, const size_t *displs,
                   void *dst, size_t nbytes, int root)
{
    PGASI_TEAM_CALL(team, PGASI_SCATTERV, (uint64_t)root);
    pgasi_fetch_check_root(__func__, team, root);
    if ((uint32_t)root == team->rank) {
        check_sizes(__func__, counts, displs);
        show_blocks(__func__, team, src, counts, displs);
    }
    pgasi_team_meet(team);
    pgas_ptr_t table = pgasi_stage_look(team, (uint32_t)root).at;
    extent_t extent;
    fetch_extent(team, &extent, table);
    pgasi_fetch_wait();
    pgasi_fetch_check_size(__func__, team, (uint32_t)root, extent.end - extent.begin, nbytes);
    pgasi_fetch(dst, table, extent.begin, nbytes);
    pgasi_fetch_wait();
    pgasi_stage_end(team, true);
    pgasi_team_end();
}

/* Reads what all members show to their places. */
static void fetch_all(const char *call, pgas_team_t *team, void *dst, const size_t *counts,
                      const size_t *displs)
{
    pgasi_shown_t *shown = pgasi_fetch_table(call, team);
    pgasi_stage_look_all(team, 0, team->size, shown);
    for (uint32_t rank = 0; rank < team->size; rank++) {
        pgasi_fetch_check_size(call, team, rank, shown[rank].nbytes, counts[rank]);
        if (counts[rank] > 0)
            pgasi_fetch((char *)dst + displs[rank], shown[rank].at, 0, counts[rank]);
    }
    pgasi_fetch_wait();
}

void pgas_gatherv(pgas_team_t *team, const void *src, size_t nbytes, void *dst,
                  const size_t *counts, const size_t *displs, int root)
{
    PGASI_TEAM_CALL(team, PGASI_GATHERV, (uint64_t)root);
    pgasi_fetch_check_root(__func__, team, root);
    pgasi_stage_show(team, src, nbytes);
    pgasi_team_meet(team);
    if ((uint32_t)root == team->rank) {
        check_sizes(__func__, counts, displs);
        fetch_all(__func__, team, dst, counts, displs);
    }
    pgasi_stage_end(team, true);
    pgasi_team_end();
}

void pgas_allgatherv(pgas_team_t *team, const void *src, size_t nbytes, void *dst,
                     const size_t *counts, const size_t *displs)
{
    pgasi_team_require(__func__, team);
    check_sizes(__func__, counts, displs);
    PGASI_TEAM_CALL(team, PGASI_ALLGATHERV, pgasi_fetch_hash(counts, team->size));
    bool is_long = false;
    for (uint32_t rank = 0; rank < team->size; rank++)
        is_long = is_long || pgasi_stage_is_long(counts[rank]);
    pgasi_fetch_check_size(__func__, team, team->rank, nbytes, counts[team->rank]);
    pgasi_stage_show(team, src, nbytes);
    pgasi_team_meet(team);
    fetch_all(__func__, team, dst, counts, displs);
    pgasi_stage_end(team, is_long);
    pgasi_team_end();
}

static void fetch_from_all(const char *call, pgas_team_t *team, void *dst, const size_t *counts,
                           const size_t *displs)
{
    pgasi_shown_t *shown = pgasi_fetch_table(call, team);
    extent_t *extents = pgasi_fetch_scratch(call, team->size * sizeof *extents);
    pgasi_stage_look_all(team, 0, team->size, shown);
    for (uint32_t rank = 0; rank < team->size; rank++)
        fetch_extent(team, &extents[rank], shown[rank].at);
    pgasi_fetch_wait();
    for (uint32_t i = 0; i < team->size; i++) {
        uint32_t rank = pgasi_fetch_neighbour(team, i);
        pgasi_fetch_check_size(call, team, rank, extents[rank].end - extents[rank].begin,
                               counts[rank]);
        if (counts[rank] > 0)
            pgasi_fetch((char *)dst + displs[rank], shown[rank].at, extents[rank].begin,
                        counts[rank]);
    }
    pgasi_fetch_wait();
}

void pgas_alltoallv(pgas_team_t *team, const void *src, const size_t *src_counts,
                    const size_t *src_displs, void *dst, const size_t *dst_counts,
                    const size_t *dst_displs)
{
    pgasi_team_begin(team, PGASI_ALLTOALLV, 0, NULL);
    check_sizes(__func__, src_counts, src_displs);
    check_sizes(__func__, dst_counts, dst_displs);
    show_blocks(__func__, team, src, src_counts, src_displs);
    pgasi_team_meet(team);
    fetch_from_all(__func__, team, dst, dst_counts, dst_displs);
    pgasi_stage_end(team, true);
    pgasi_team_end();
}
