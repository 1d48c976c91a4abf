/* Collectives that move blocks of one size. Each member shows what others need of it in one round,
 * and reads what it needs; it begins with its next neighbour, so that not all read from one. */
#include <pgas/coll_async.h>

#include "coll/choice.h"
#include "coll/fetch.h"
#include "coll/forms.h"
#include "coll/hierarchical.h"
#include "coll/pipelined.h"
#include "team/carry.h"
#include "team/seats.h"

static void check_both(const pgasi_coll_t *coll)
{
    pgasi_fetch_check_buffer(coll->name, coll->src, coll->nbytes);
    pgasi_fetch_check_buffer(coll->name, coll->dst, coll->nbytes);
}

static void choose(pgasi_coll_t *coll, pgasi_coll_kind_t kind)
{
    pgasi_choice_make(coll, kind, coll->nbytes);
    if (coll->algorithm == PGASI_ALGORITHM_PIPELINED)
        coll->step = pgasi_pipelined_show;
}

/* Reads the caller's part of what the root shows. */
static pgasi_next_t read_root(pgasi_coll_t *coll)
{
    pgasi_fetch_found(coll);
    pgasi_fetch(coll, coll->dst, coll->root, coll->offset, coll->nbytes);
    coll->step = pgasi_coll_close;
    return PGASI_NEXT_READ;
}

/* Reads the blocks of all others, each `offset` bytes from the beginning of what its member shows,
 * to their places. A member's own block does not go round by what it shows. */
static pgasi_next_t read_blocks(pgasi_coll_t *coll)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    char *dst = coll->dst;
    pgasi_fetch_found(coll);
    pgasi_fetch_own(coll, dst + team->rank * coll->nbytes, (const char *)coll->src + coll->offset,
                    coll->nbytes);
    for (uint32_t i = 1; i < team->size; i++) {
        uint32_t rank = pgasi_fetch_neighbour(team, i);
        pgasi_fetch(coll, dst + rank * coll->nbytes, rank, coll->offset, coll->nbytes);
    }
    coll->step = pgasi_coll_close;
    return PGASI_NEXT_READ;
}

static pgasi_next_t find_blocks(pgasi_coll_t *coll)
{
    return pgasi_fetch_find(coll, 0, pgasi_coll_team(coll)->size, read_blocks);
}

static pgasi_next_t broadcast_read(pgasi_coll_t *coll)
{
    if (pgasi_coll_is_root(coll))
        return pgasi_coll_close(coll);
    return pgasi_fetch_find(coll, coll->root, 1, read_root);
}

static pgasi_next_t broadcast_show(pgasi_coll_t *coll)
{
    pgasi_choice_carry(coll);
    if (pgasi_coll_is_root(coll))
        pgasi_stage_show(coll->lane, coll->dst, coll->nbytes);
    coll->step = broadcast_read;
    return pgasi_coll_meet_root(coll);
}

static void broadcast(pgasi_coll_t *coll, pgas_team_t *team, void *data, size_t nbytes, int root)
{
    coll->call =
        (pgasi_call_t){.call = PGASI_BROADCAST, .count = 2, .arguments = {nbytes, (uint64_t)root}};
    pgasi_coll_begin(coll, team, broadcast_show);
    pgasi_fetch_set_root(coll, root);
    pgasi_fetch_check_buffer(coll->name, data, nbytes);
    coll->src = data;
    coll->dst = data;
    coll->nbytes = nbytes;
    coll->shown_bytes = nbytes;
    coll->offset = 0;
    choose(coll, PGASI_KIND_OF_BROADCAST);
    if (coll->algorithm == PGASI_ALGORITHM_HIERARCHICAL)
        coll->step = pgasi_hierarchical_broadcast;
}

static pgasi_next_t scatter_read(pgasi_coll_t *coll)
{
    if (!pgasi_coll_is_root(coll))
        return pgasi_fetch_find(coll, coll->root, 1, read_root);
    pgasi_fetch_own(coll, coll->dst, (const char *)coll->src + coll->offset, coll->nbytes);
    return pgasi_coll_close(coll);
}

static pgasi_next_t scatter_show(pgasi_coll_t *coll)
{
    pgasi_choice_carry(coll);
    if (pgasi_coll_is_root(coll))
        pgasi_stage_show_apart(coll->lane, coll->src, coll->nbytes);
    coll->step = scatter_read;
    return pgasi_coll_meet_root(coll);
}

static void scatter(pgasi_coll_t *coll, pgas_team_t *team, const void *src, void *dst,
                    size_t nbytes, int root)
{
    coll->call =
        (pgasi_call_t){.call = PGASI_SCATTER, .count = 2, .arguments = {nbytes, (uint64_t)root}};
    pgasi_coll_begin(coll, team, scatter_show);
    pgasi_fetch_set_root(coll, root);
    pgasi_fetch_check_buffer(coll->name, dst, nbytes);
    if (pgasi_coll_is_root(coll))
        pgasi_fetch_check_buffer(coll->name, src, nbytes);
    coll->src = src;
    coll->dst = dst;
    coll->nbytes = nbytes;
    coll->shown_bytes = pgasi_fetch_product(coll->name, team->size, nbytes);
    coll->offset = team->rank * nbytes;
    if (pgasi_coll_is_root(coll))
        pgasi_fetch_check_block(coll->name, dst, nbytes, src, coll->shown_bytes, coll->offset);
    choose(coll, PGASI_KIND_OF_SCATTER);
}

static pgasi_next_t gather_read(pgasi_coll_t *coll)
{
    return pgasi_coll_is_root(coll) ? find_blocks(coll) : pgasi_coll_close(coll);
}

static pgasi_next_t gather_show(pgasi_coll_t *coll)
{
    pgasi_choice_carry(coll);
    if (!pgasi_coll_is_root(coll))
        pgasi_stage_show_to(coll->lane, coll->src, coll->nbytes, coll->root);
    coll->step = gather_read;
    return pgasi_coll_meet_root(coll);
}

static void gather(pgasi_coll_t *coll, pgas_team_t *team, const void *src, void *dst, size_t nbytes,
                   int root)
{
    coll->call =
        (pgasi_call_t){.call = PGASI_GATHER, .count = 2, .arguments = {nbytes, (uint64_t)root}};
    pgasi_coll_begin(coll, team, gather_show);
    pgasi_fetch_set_root(coll, root);
    pgasi_fetch_check_buffer(coll->name, src, nbytes);
    if (pgasi_coll_is_root(coll)) {
        pgasi_fetch_check_buffer(coll->name, dst, nbytes);
        size_t all = pgasi_fetch_product(coll->name, team->size, nbytes);
        pgasi_fetch_check_block(coll->name, src, nbytes, dst, all, team->rank * nbytes);
    }
    coll->src = src;
    coll->dst = dst;
    coll->nbytes = nbytes;
    coll->shown_bytes = nbytes;
    coll->offset = 0;
    choose(coll, PGASI_KIND_OF_GATHER);
}

static pgasi_next_t all_show(pgasi_coll_t *coll)
{
    pgasi_choice_carry(coll);
    pgasi_stage_show(coll->lane, coll->src, coll->shown_bytes);
    coll->step = find_blocks;
    return PGASI_NEXT_MEET;
}

static pgasi_next_t each_show(pgasi_coll_t *coll)
{
    pgasi_choice_carry(coll);
    pgasi_stage_show_apart(coll->lane, coll->src, coll->nbytes);
    coll->step = find_blocks;
    return PGASI_NEXT_MEET;
}

/* In trays: what travels to a member is its own block alone. */
static pgasi_next_t each_send(pgasi_coll_t *coll)
{
    pgasi_choice_carry(coll);
    pgasi_stage_show_each(coll->lane, coll->src, coll->nbytes);
    coll->src = (const char *)coll->src + coll->offset;
    coll->offset = 0;
    coll->step = find_blocks;
    return PGASI_NEXT_MEET;
}

/* Whether the blocks of a rank travel with the meeting that is, or is to come. */
static bool sends_now(const pgasi_coll_t *coll, uint32_t rank)
{
    uint32_t place = pgasi_coll_team(coll)->seats[rank].local;
    return place >= coll->first_sender && place - coll->first_sender < coll->senders;
}

static pgasi_next_t some_read(pgasi_coll_t *coll);

static pgasi_next_t some_send(pgasi_coll_t *coll)
{
    pgasi_choice_carry_some(coll);
    if (sends_now(coll, pgasi_coll_team(coll)->rank))
        pgasi_stage_show_each(coll->lane, coll->src, coll->nbytes);
    coll->step = some_read;
    return PGASI_NEXT_MEET;
}

/* What these have for the caller; then it is the next ones' turn. */
static pgasi_next_t some_read(pgasi_coll_t *coll)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    char *dst = coll->dst;
    if (coll->first_sender == 0)
        pgasi_fetch_own(coll, dst + coll->offset, (const char *)coll->src + coll->offset,
                        coll->nbytes);
    for (uint32_t i = 1; i < team->size; i++) {
        uint32_t rank = pgasi_fetch_neighbour(team, i);
        if (sends_now(coll, rank))
            pgasi_fetch(coll, dst + rank * coll->nbytes, rank, 0, coll->nbytes);
    }
    coll->first_sender += coll->senders;
    if (coll->first_sender >= team->most_on_node)
        return pgasi_coll_close(coll);
    pgasi_stage_next(coll->lane);
    pgasi_carry_nothing(coll->lane);
    return some_send(coll);
}

static pgasi_next_t some_begin(pgasi_coll_t *coll)
{
    pgasi_choice_senders(coll);
    pgasi_seats_make(pgasi_coll_team(coll));
    return some_send(coll);
}

static void allgather(pgasi_coll_t *coll, pgas_team_t *team, const void *src, void *dst,
                      size_t nbytes)
{
    coll->call = (pgasi_call_t){.call = PGASI_ALLGATHER, .count = 1, .arguments = {nbytes}};
    pgasi_coll_begin(coll, team, all_show);
    coll->src = src;
    coll->dst = dst;
    coll->nbytes = nbytes;
    coll->shown_bytes = nbytes;
    coll->offset = 0;
    check_both(coll);
    size_t all = pgasi_fetch_product(coll->name, team->size, nbytes);
    pgasi_fetch_check_block(coll->name, src, nbytes, dst, all, team->rank * nbytes);
    choose(coll, PGASI_KIND_OF_ALLGATHER);
    if (coll->algorithm == PGASI_ALGORITHM_HIERARCHICAL)
        coll->step = pgasi_hierarchical_gather;
}

static void alltoall(pgasi_coll_t *coll, pgas_team_t *team, const void *src, void *dst,
                     size_t nbytes)
{
    coll->call = (pgasi_call_t){.call = PGASI_ALLTOALL, .count = 1, .arguments = {nbytes}};
    pgasi_coll_begin(coll, team, each_show);
    coll->src = src;
    coll->dst = dst;
    coll->nbytes = nbytes;
    coll->shown_bytes = pgasi_fetch_product(coll->name, team->size, nbytes);
    coll->offset = team->rank * nbytes;
    check_both(coll);
    pgasi_fetch_check_apart(coll->name, src, coll->shown_bytes, dst, coll->shown_bytes, false);
    choose(coll, PGASI_KIND_OF_ALLTOALL);
    if (coll->algorithm == PGASI_ALGORITHM_BRUCK)
        coll->step = some_begin;
    else if (pgasi_choice_carries(coll))
        coll->step = each_send;
}

PGASI_COLL_FORMS(pgas_broadcast, (pgas_team_t * team, void *data, size_t nbytes, int root),
                 broadcast(&coll, team, data, nbytes, root))
PGASI_COLL_FORMS(pgas_scatter,
                 (pgas_team_t * team, const void *src, void *dst, size_t nbytes, int root),
                 scatter(&coll, team, src, dst, nbytes, root))
PGASI_COLL_FORMS(pgas_gather,
                 (pgas_team_t * team, const void *src, void *dst, size_t nbytes, int root),
                 gather(&coll, team, src, dst, nbytes, root))
PGASI_COLL_FORMS(pgas_allgather, (pgas_team_t * team, const void *src, void *dst, size_t nbytes),
                 allgather(&coll, team, src, dst, nbytes))
PGASI_COLL_FORMS(pgas_alltoall, (pgas_team_t * team, const void *src, void *dst, size_t nbytes),
                 alltoall(&coll, team, src, dst, nbytes))
