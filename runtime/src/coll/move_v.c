/*
 * Collectives that move blocks of different sizes. A member that sends to several shows a table
 * first, of where each receiver's block begins and where the last ends, and then the blocks; by
 * eager (coll/algorithm.h), what each has for each travels alone. In a pgas_allgatherv all know all
 * sizes. In the others all look at what the same members show, and so agree whether they meet a
 * second time, and whether the rest travels then.
 */
#include <pgas/coll_async.h>

#include <pgas/detail.h>

#include "coll/choice.h"
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
    if (counts[rank] == 0)
        return (block_t){buffer, 0};
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

static size_t sum_of_counts(const pgasi_coll_t *coll, const size_t *counts)
{
    size_t sum = 0;
    for (uint32_t rank = 0; rank < pgasi_coll_team(coll)->size; rank++)
        sum = pgasi_fetch_sum(coll->name, sum, counts[rank]);
    return sum;
}

/* Of blocks of which nobody knows all sizes. */
static void choose_uneven(pgasi_coll_t *coll, pgasi_coll_kind_t kind)
{
    coll->shown_bytes = SIZE_MAX;
    pgasi_choice_make(coll, kind, 0);
}

/* The beginning and the end of the caller's block at a member. */
typedef struct extent {
    uint64_t begin;
    uint64_t end;
} extent_t;

/* Shows the blocks of the source behind a table of them, which counts from its own beginning. The
 * caller's own does not go round by what it shows, and is empty there. */
static void show_table(pgasi_coll_t *coll)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    const size_t *counts = coll->src_counts;
    uint64_t end = (team->size + (uint64_t)1) * sizeof(uint64_t);
    size_t total = pgasi_fetch_sum(coll->name, sum_of_counts(coll, counts), end);
    uint64_t *table = pgasi_stage_begin(coll->lane, total - counts[team->rank]);
    for (uint32_t rank = 0; rank < team->size; rank++) {
        size_t count = rank == team->rank ? 0 : counts[rank];
        table[rank] = end;
        if (count > 0)
            pgasi_copy((char *)table + end, (const char *)coll->src + coll->src_displs[rank],
                       count);
        end += count;
    }
    table[team->size] = end;
}

static void fetch_extent(pgasi_coll_t *coll, extent_t *extent, uint32_t rank)
{
    pgasi_fetch(coll, extent, rank, pgasi_coll_team(coll)->rank * sizeof(uint64_t), sizeof *extent);
}

/* Of each member the caller's own block is at hand. */
static void fetch_own_block(pgasi_coll_t *coll, void *dst)
{
    uint32_t rank = pgasi_coll_team(coll)->rank;
    const char *src = coll->src;
    size_t count = coll->src_counts[rank];
    pgasi_fetch_own(coll, dst, count > 0 ? src + coll->src_displs[rank] : src, count);
}

/* The end: all have seen the same, and meet once more if one of those that showed something may
 * still be read from; unless the rest has travelled. */
static pgasi_next_t close_seen(pgasi_coll_t *coll)
{
    for (uint32_t i = 0; coll->shown != NULL && i < coll->shown_count; i++)
        if (coll->shown[coll->first_shown + i].is_long)
            return PGASI_NEXT_LAST_MEETING;
    return PGASI_NEXT_END;
}

/* ---- From a root ---- */

static pgasi_next_t scatterv_read(pgasi_coll_t *coll)
{
    const extent_t *extent = coll->memory->scratch.memory;
    pgasi_fetch_check_size(coll, coll->root, extent->end - extent->begin, coll->nbytes);
    pgasi_fetch(coll, coll->dst, coll->root, extent->begin, coll->nbytes);
    coll->step = close_seen;
    return PGASI_NEXT_READ;
}

/* The second meeting, from a root or to one; if a third follows, all wait for all. */
static pgasi_next_t meet_rest(const pgasi_coll_t *coll)
{
    return coll->extra.meets_last ? PGASI_NEXT_MEET : PGASI_NEXT_MEET_ROOT;
}

static pgasi_next_t scatterv_extent(pgasi_coll_t *coll)
{
    if (pgasi_coll_is_root(coll)) {
        fetch_own_block(coll, coll->dst);
        return close_seen(coll);
    }
    fetch_extent(coll, pgasi_fetch_scratch(coll, sizeof(extent_t)), coll->root);
    coll->step = scatterv_read;
    return PGASI_NEXT_READ;
}

static pgasi_next_t scatterv_find(pgasi_coll_t *coll)
{
    pgasi_fetch_found(coll);
    size_t shown = coll->shown[coll->root].nbytes;
    if (!pgasi_choice_carries_rest(coll, shown, shown))
        return scatterv_extent(coll);
    pgasi_choice_carry_rest(coll, shown);
    if (pgasi_coll_is_root(coll))
        show_table(coll);
    coll->step = scatterv_extent;
    return meet_rest(coll);
}

static pgasi_next_t scatterv_look(pgasi_coll_t *coll)
{
    return pgasi_fetch_look(coll, coll->root, 1, scatterv_find);
}

static pgasi_next_t scatterv_show(pgasi_coll_t *coll)
{
    pgasi_choice_carry(coll);
    if (pgasi_coll_is_root(coll))
        show_table(coll);
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
    if (pgasi_coll_is_root(coll)) {
        check_blocks(coll, src, counts, displs);
        pgasi_fetch_check_size(coll, team->rank, counts[team->rank], nbytes);
    }
    coll->src = src;
    coll->src_counts = counts;
    coll->src_displs = displs;
    coll->dst = dst;
    coll->nbytes = nbytes;
    choose_uneven(coll, PGASI_KIND_OF_SCATTERV);
    if (pgasi_coll_is_root(coll))
        check_apart(coll, counts, NULL);
}

/* ---- To a root, and to all ---- */

static char *place_of(const pgasi_coll_t *coll, uint32_t rank)
{
    char *dst = coll->dst;
    return coll->dst_counts[rank] > 0 ? dst + coll->dst_displs[rank] : dst;
}

/* Reads those blocks of all others to their places that have between `least` and `most` bytes. */
static void fetch_blocks(pgasi_coll_t *coll, size_t least, size_t most)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    for (uint32_t i = 1; i < team->size; i++) {
        uint32_t rank = pgasi_fetch_neighbour(team, i);
        size_t nbytes = coll->dst_counts[rank];
        if (nbytes >= least && nbytes <= most)
            pgasi_fetch(coll, place_of(coll, rank), rank, 0, nbytes);
    }
}

static void fetch_all_blocks(pgasi_coll_t *coll)
{
    pgasi_fetch_own(coll, place_of(coll, pgasi_coll_team(coll)->rank), coll->src, coll->nbytes);
    fetch_blocks(coll, 0, SIZE_MAX);
}

static pgasi_next_t gatherv_read_rest(pgasi_coll_t *coll)
{
    if (coll->wants)
        fetch_blocks(coll, coll->travelled + 1, SIZE_MAX);
    return PGASI_NEXT_END;
}

/* The largest of the blocks has `largest` bytes. */
static pgasi_next_t gatherv_carry_rest(pgasi_coll_t *coll, size_t largest)
{
    size_t room = coll->lane->room;
    if (coll->wants) {
        pgasi_fetch_own(coll, place_of(coll, coll->root), coll->src, coll->nbytes);
        fetch_blocks(coll, 0, room);
    }
    pgasi_choice_carry_rest(coll, largest);
    if (!coll->wants && coll->nbytes > room)
        pgasi_stage_show(coll->lane, coll->src, coll->nbytes);
    coll->step = gatherv_read_rest;
    return meet_rest(coll);
}

static pgasi_next_t gatherv_read(pgasi_coll_t *coll)
{
    size_t largest = 0;
    uint64_t all = 0;
    pgasi_fetch_found(coll);
    for (uint32_t rank = 0; rank < pgasi_coll_team(coll)->size; rank++) {
        size_t shown = coll->shown[rank].nbytes;
        if (coll->wants && rank != coll->root)
            pgasi_fetch_check_size(coll, rank, shown, coll->dst_counts[rank]);
        all += shown > coll->lane->room ? shown : 0;
        largest = shown > largest ? shown : largest;
    }
    if (pgasi_choice_carries_rest(coll, largest, all))
        return gatherv_carry_rest(coll, largest);
    if (!coll->wants)
        return close_seen(coll);
    fetch_all_blocks(coll);
    coll->step = close_seen;
    return PGASI_NEXT_READ;
}

static pgasi_next_t meet_last(pgasi_coll_t *coll)
{
    (void)coll;
    return PGASI_NEXT_LAST_MEETING;
}

static pgasi_next_t gatherv_read_untold(pgasi_coll_t *coll)
{
    pgasi_next_t next = gatherv_read(coll);
    coll->step = meet_last;
    return next;
}

/* Those of whom nothing is wanted look, too, where that is at hand, since all must agree on the
 * end. */
static pgasi_next_t gatherv_look(pgasi_coll_t *coll)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    bool all_look = team->nodes == 1 || coll->lane->tells;
    if (!coll->wants && !all_look)
        return PGASI_NEXT_LAST_MEETING;
    return pgasi_fetch_look(coll, 0, team->size, all_look ? gatherv_read : gatherv_read_untold);
}

static pgasi_next_t gatherv_show(pgasi_coll_t *coll)
{
    pgasi_choice_carry(coll);
    pgasi_stage_show_to(coll->lane, coll->src, coll->wants ? 0 : coll->nbytes, coll->root);
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
    coll->wants = pgasi_coll_is_root(coll);
    if (coll->wants) {
        check_blocks(coll, dst, counts, displs);
        pgasi_fetch_check_size(coll, team->rank, nbytes, counts[team->rank]);
    }
    coll->src = src;
    coll->nbytes = nbytes;
    coll->dst = dst;
    coll->dst_counts = counts;
    coll->dst_displs = displs;
    choose_uneven(coll, PGASI_KIND_OF_GATHERV);
    if (coll->wants)
        check_apart(coll, NULL, counts);
}

static pgasi_next_t allgatherv_read(pgasi_coll_t *coll)
{
    pgasi_fetch_found(coll);
    fetch_all_blocks(coll);
    coll->step = pgasi_coll_close;
    return PGASI_NEXT_READ;
}

static pgasi_next_t allgatherv_find(pgasi_coll_t *coll)
{
    return pgasi_fetch_find(coll, 0, pgasi_coll_team(coll)->size, allgatherv_read);
}

static pgasi_next_t allgatherv_show(pgasi_coll_t *coll)
{
    pgasi_choice_carry(coll);
    pgasi_stage_show(coll->lane, coll->src, coll->nbytes);
    coll->step = allgatherv_find;
    return PGASI_NEXT_MEET;
}

static void allgatherv(pgasi_coll_t *coll, pgas_team_t *team, const void *src, size_t nbytes,
                       void *dst, const size_t *counts, const size_t *displs)
{
    pgasi_team_require(coll->name, team);
    check_sizes(coll->name, counts, displs);
    coll->call = (pgasi_call_t){.call = PGASI_ALLGATHERV, .count = 2};
    pgasi_call_set_counts(&coll->call, counts, team->size);
    pgasi_coll_begin(coll, team, allgatherv_show);
    pgasi_fetch_check_buffer(coll->name, src, nbytes);
    check_blocks(coll, dst, counts, displs);
    coll->src = src;
    coll->nbytes = nbytes;
    coll->dst = dst;
    coll->dst_counts = counts;
    coll->dst_displs = displs;
    coll->shown_bytes = 0;
    for (uint32_t rank = 0; rank < team->size; rank++)
        if (counts[rank] > coll->shown_bytes)
            coll->shown_bytes = counts[rank];
    pgasi_fetch_check_size(coll, team->rank, nbytes, counts[team->rank]);
    pgasi_choice_make(coll, PGASI_KIND_OF_ALLGATHERV, coll->shown_bytes);
    check_apart(coll, NULL, counts);
}

/* ---- From each to each ---- */

/* A block of another member, of which `given` bytes are there, and how far from what it shows. */
static void fetch_block(pgasi_coll_t *coll, uint32_t rank, size_t given, size_t offset)
{
    pgasi_fetch_check_size(coll, rank, given, coll->dst_counts[rank]);
    pgasi_fetch(coll, place_of(coll, rank), rank, offset, coll->dst_counts[rank]);
}

static pgasi_next_t alltoallv_read_rest(pgasi_coll_t *coll)
{
    fetch_blocks(coll, coll->travelled + 1, SIZE_MAX);
    return PGASI_NEXT_END;
}

/* By eager: each has been told of its own, and of how large the others are. */
static pgasi_next_t alltoallv_read_told(pgasi_coll_t *coll)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    size_t room = coll->lane->room;
    size_t largest = 0;
    uint64_t all = 0;
    pgasi_fetch_found(coll);
    fetch_own_block(coll, place_of(coll, team->rank));
    for (uint32_t rank = 0; rank < team->size; rank++) {
        const pgasi_shown_t *shown = &coll->shown[rank];
        pgasi_fetch_check_size(coll, rank, shown->nbytes, coll->dst_counts[rank]);
        all += shown->all;
        largest = shown->largest > largest ? shown->largest : largest;
    }
    bool carries_rest = pgasi_choice_carries_rest(coll, largest, all);
    fetch_blocks(coll, 0, carries_rest ? room : SIZE_MAX);
    if (!carries_rest) {
        coll->step = close_seen;
        return PGASI_NEXT_READ;
    }
    pgasi_choice_carry_rest(coll, largest);
    pgasi_stage_show_rest(coll->lane, coll->src, coll->src_counts, coll->src_displs, room);
    coll->step = alltoallv_read_rest;
    return PGASI_NEXT_MEET;
}

static pgasi_next_t alltoallv_look_told(pgasi_coll_t *coll)
{
    return pgasi_fetch_look(coll, 0, pgasi_coll_team(coll)->size, alltoallv_read_told);
}

static pgasi_next_t alltoallv_tell(pgasi_coll_t *coll)
{
    pgasi_choice_carry(coll);
    sum_of_counts(coll, coll->src_counts);
    pgasi_stage_show_blocks(coll->lane, coll->src, coll->src_counts, coll->src_displs);
    coll->step = alltoallv_look_told;
    return PGASI_NEXT_MEET;
}

/* By linear: each finds its own in the tables of all. */
static pgasi_next_t alltoallv_read(pgasi_coll_t *coll)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    const extent_t *extents = coll->memory->scratch.memory;
    fetch_own_block(coll, place_of(coll, team->rank));
    for (uint32_t i = 1; i < team->size; i++) {
        uint32_t rank = pgasi_fetch_neighbour(team, i);
        fetch_block(coll, rank, extents[rank].end - extents[rank].begin, extents[rank].begin);
    }
    coll->step = close_seen;
    return PGASI_NEXT_READ;
}

static pgasi_next_t alltoallv_extents(pgasi_coll_t *coll)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    pgasi_fetch_found(coll);
    extent_t *extents = pgasi_fetch_scratch(coll, team->size * sizeof *extents);
    for (uint32_t rank = 0; rank < team->size; rank++)
        if (rank != team->rank)
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
    pgasi_choice_carry(coll);
    show_table(coll);
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
    pgasi_fetch_check_size(coll, team->rank, src_counts[team->rank], dst_counts[team->rank]);
    coll->src = src;
    coll->src_counts = src_counts;
    coll->src_displs = src_displs;
    coll->dst = dst;
    coll->dst_counts = dst_counts;
    coll->dst_displs = dst_displs;
    choose_uneven(coll, PGASI_KIND_OF_ALLTOALLV);
    if (coll->algorithm == PGASI_ALGORITHM_EAGER)
        coll->step = alltoallv_tell;
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
