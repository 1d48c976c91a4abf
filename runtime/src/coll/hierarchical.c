/*
 * Reductions have three rounds. In the first the members of a node show each other their operands,
 * and each combines a slice of them; in the second those with the same slice on all nodes show each
 * other what they have; in the third the members of a node show each other the slices of the
 * result. By lanes each combines a part of the slice in the second round, and there is one more
 * behind it, in which those with the same slice show each other the parts.
 *
 * All-gathers have two. In the first, members show their blocks, and each reads those of its own
 * node, and of every other node that of the member with its place there; in the second the members
 * of a node show each other what they have from other nodes.
 *
 * Broadcasts have two. In the first the root shows its bytes; members of its node read all of them,
 * and each member of another node a share. In the second the members of these nodes show each other
 * their shares.
 */
#include "coll/hierarchical.h"

#include <pgas/detail.h>

#include "coll/combine.h"
#include "coll/fetch.h"
#include "team/seats.h"

static const pgasi_team_seat_t *seat_of(const pgasi_coll_t *coll, uint32_t rank)
{
    return &pgasi_coll_team(coll)->seats[rank];
}

static const pgasi_team_seat_t *own_seat(const pgasi_coll_t *coll)
{
    return seat_of(coll, pgasi_coll_team(coll)->rank);
}

static bool is_on_node(const pgasi_coll_t *coll, uint32_t rank)
{
    return pgasi_team_is_on_node(pgasi_coll_team(coll), rank);
}

/* Whether two members have the same place on different nodes. */
static bool are_counterparts(const pgasi_coll_t *coll, uint32_t a, uint32_t b)
{
    return seat_of(coll, a)->local == seat_of(coll, b)->local &&
           seat_of(coll, a)->node != seat_of(coll, b)->node;
}

/* Whether a member of the own node wants the result. */
static bool node_wants(const pgasi_coll_t *coll)
{
    return coll->kind == PGASI_KIND_OF_ALLREDUCE || is_on_node(coll, coll->root);
}

/* Elements before the slice of a node's i-th member. */
static size_t slice_begin(const pgasi_coll_t *coll, uint32_t i)
{
    return pgasi_piece_begin(coll->count, pgasi_coll_team(coll)->most_on_node, i);
}

static size_t slice_count(const pgasi_coll_t *coll, uint32_t i)
{
    return slice_begin(coll, i + 1) - slice_begin(coll, i);
}

static size_t own_bytes(const pgasi_coll_t *coll)
{
    return slice_count(coll, own_seat(coll)->local) * coll->operation.size;
}

static bool has_parts(const pgasi_coll_t *coll)
{
    return coll->algorithm == PGASI_ALGORITHM_MULTILANE;
}

/* Elements of the own slice before the part of a node, which may be all of it. */
static size_t part_begin(const pgasi_coll_t *coll, uint32_t node)
{
    size_t slice = slice_count(coll, own_seat(coll)->local);
    return has_parts(coll) ? pgasi_piece_begin(slice, pgasi_coll_team(coll)->nodes, node) : 0;
}

static size_t part_count(const pgasi_coll_t *coll, uint32_t node)
{
    return has_parts(coll) ? part_begin(coll, node + 1) - part_begin(coll, node)
                           : slice_count(coll, own_seat(coll)->local);
}

/* What is in the stage: the operand, unless it is shared; the own slice combined on the node; and
 * that of all nodes. */
typedef struct places {
    char *operand;
    char *of_node;
    char *of_all;
} places_t;

static places_t places_of(pgasi_coll_t *coll)
{
    size_t operand = pgasi_stage_is_shared(coll->src, coll->nbytes) ? 0 : coll->nbytes;
    size_t slice = own_bytes(coll);
    char *stage = pgasi_stage_reserve(coll->lane, operand + 2 * slice);
    return (places_t){stage, stage + operand, stage + operand + slice};
}

/* Begins a round in which a member shows what others will read, and meets. */
static pgasi_next_t show_next(pgasi_coll_t *coll, const char *src, size_t nbytes,
                              pgasi_step_function_t *then)
{
    pgasi_stage_next(coll->lane);
    pgasi_stage_tell(coll->lane);
    pgasi_stage_lend(coll->lane, src, nbytes);
    coll->step = then;
    return PGASI_NEXT_MEET;
}

/* ---- The slices of the result ---- */

static pgasi_next_t results_read(pgasi_coll_t *coll)
{
    size_t size = coll->operation.size;
    pgasi_fetch_found(coll);
    for (uint32_t i = 0; i < pgasi_coll_team(coll)->size; i++) {
        uint32_t rank = pgasi_fetch_neighbour(pgasi_coll_team(coll), i);
        uint32_t slice = seat_of(coll, rank)->local;
        if (is_on_node(coll, rank))
            pgasi_fetch(coll, (char *)coll->dst + slice_begin(coll, slice) * size, rank, 0,
                        slice_count(coll, slice) * size);
    }
    coll->step = pgasi_coll_close;
    return PGASI_NEXT_READ;
}

static pgasi_next_t results_look(pgasi_coll_t *coll)
{
    if (!coll->wants)
        return PGASI_NEXT_LAST_MEETING;
    return pgasi_fetch_look(coll, 0, pgasi_coll_team(coll)->size, results_read);
}

/* ---- The parts of a slice ---- */

static char *part_of_all(pgasi_coll_t *coll, uint32_t node)
{
    return places_of(coll).of_all + part_begin(coll, node) * coll->operation.size;
}

static size_t part_bytes(const pgasi_coll_t *coll, uint32_t node)
{
    return part_count(coll, node) * coll->operation.size;
}

static pgasi_next_t slice_show(pgasi_coll_t *coll)
{
    return show_next(coll, places_of(coll).of_all, own_bytes(coll), results_look);
}

static pgasi_next_t parts_read(pgasi_coll_t *coll)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    pgasi_fetch_found(coll);
    for (uint32_t i = 1; i < team->size; i++) {
        uint32_t rank = pgasi_fetch_neighbour(team, i);
        uint32_t node = seat_of(coll, rank)->node;
        if (are_counterparts(coll, team->rank, rank))
            pgasi_fetch(coll, part_of_all(coll, node), rank, 0, part_bytes(coll, node));
    }
    coll->step = slice_show;
    return PGASI_NEXT_READ;
}

static pgasi_next_t parts_look(pgasi_coll_t *coll)
{
    if (!node_wants(coll))
        return show_next(coll, places_of(coll).of_all, 0, results_look);
    return pgasi_fetch_look(coll, 0, pgasi_coll_team(coll)->size, parts_read);
}

/* ---- The slices of nodes ---- */

static pgasi_next_t all_combine(pgasi_coll_t *coll)
{
    uint32_t node = own_seat(coll)->node;
    if (pgasi_combine_next(coll))
        return PGASI_NEXT_READ;
    if (!has_parts(coll))
        return slice_show(coll);
    return show_next(coll, part_of_all(coll, node), part_bytes(coll, node), parts_look);
}

static pgasi_next_t all_begin(pgasi_coll_t *coll)
{
    uint32_t node = own_seat(coll)->node;
    pgasi_fetch_found(coll);
    pgasi_combine_begin_some(coll, PGASI_COMBINED_COUNTERPARTS, part_begin(coll, node),
                             part_count(coll, node), NULL, part_of_all(coll, node));
    coll->step = all_combine;
    return all_combine(coll);
}

static pgasi_next_t all_look(pgasi_coll_t *coll)
{
    if (!has_parts(coll) && !node_wants(coll))
        return show_next(coll, places_of(coll).of_all, 0, results_look);
    return pgasi_fetch_look(coll, 0, pgasi_coll_team(coll)->size, all_begin);
}

/* ---- The operands ---- */

static pgasi_next_t node_combine(pgasi_coll_t *coll)
{
    pgasi_fetch_found(coll);
    pgasi_combine_begin_some(coll, PGASI_COMBINED_NODE, slice_begin(coll, own_seat(coll)->local),
                             slice_count(coll, own_seat(coll)->local), coll->src,
                             places_of(coll).of_node);
    while (pgasi_combine_next(coll))
        ;
    return show_next(coll, places_of(coll).of_node, own_bytes(coll), all_look);
}

static pgasi_next_t operands_look(pgasi_coll_t *coll)
{
    return pgasi_fetch_look(coll, 0, pgasi_coll_team(coll)->size, node_combine);
}

pgasi_next_t pgasi_hierarchical_show(pgasi_coll_t *coll)
{
    coll->step = operands_look;
    pgasi_seats_make(pgasi_coll_team(coll));
    pgasi_stage_tell(coll->lane);
    if (pgasi_stage_show_in_place(coll->lane, coll->src, coll->nbytes))
        return PGASI_NEXT_MEET;
    char *copy = places_of(coll).operand;
    size_t own = slice_begin(coll, own_seat(coll)->local) * coll->operation.size;
    pgasi_stage_copy_others(copy, coll->src, coll->nbytes, own, own_bytes(coll));
    pgasi_stage_lend(coll->lane, copy, coll->nbytes);
    return PGASI_NEXT_MEET;
}

/* ---- Blocks of all ---- */

/* In the stage: the own block, unless it is shared, and one of each other node. */
typedef struct block_places {
    char *own;
    char *others;
} block_places_t;

static size_t others_bytes(const pgasi_coll_t *coll)
{
    return (pgasi_coll_team(coll)->nodes - 1) * coll->nbytes;
}

static block_places_t block_places_of(pgasi_coll_t *coll)
{
    size_t own = pgasi_stage_is_shared(coll->src, coll->nbytes) ? 0 : coll->nbytes;
    char *stage = pgasi_stage_reserve(coll->lane, own + others_bytes(coll));
    return (block_places_t){stage, stage + own};
}

/* How far into what a member of the own node has from others the block of a rank is. */
static size_t place_among_others(const pgasi_coll_t *coll, uint32_t rank)
{
    uint32_t node = seat_of(coll, rank)->node;
    return (node < own_seat(coll)->node ? node : node - 1) * coll->nbytes;
}

static char *result_of(const pgasi_coll_t *coll, uint32_t rank)
{
    return (char *)coll->dst + rank * coll->nbytes;
}

static pgasi_next_t others_read(pgasi_coll_t *coll)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    pgasi_fetch_found(coll);
    for (uint32_t i = 0; i < team->size; i++) {
        uint32_t holder = pgasi_fetch_neighbour(team, i);
        if (!is_on_node(coll, holder))
            continue;
        for (uint32_t rank = 0; rank < team->size; rank++)
            if (are_counterparts(coll, holder, rank))
                pgasi_fetch(coll, result_of(coll, rank), holder, place_among_others(coll, rank),
                            coll->nbytes);
    }
    coll->step = pgasi_coll_close;
    return PGASI_NEXT_READ;
}

static pgasi_next_t others_look(pgasi_coll_t *coll)
{
    return pgasi_fetch_look(coll, 0, pgasi_coll_team(coll)->size, others_read);
}

static pgasi_next_t others_show(pgasi_coll_t *coll)
{
    return show_next(coll, block_places_of(coll).others, others_bytes(coll), others_look);
}

/* What comes from other nodes is on its way while blocks of the own one are copied. */
static pgasi_next_t blocks_read(pgasi_coll_t *coll)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    char *others = block_places_of(coll).others;
    pgasi_fetch_found(coll);
    for (uint32_t i = 1; i < team->size; i++) {
        uint32_t rank = pgasi_fetch_neighbour(team, i);
        if (are_counterparts(coll, team->rank, rank))
            pgasi_fetch(coll, others + place_among_others(coll, rank), rank, 0, coll->nbytes);
    }
    pgasi_fetch_own(coll, result_of(coll, team->rank), coll->src, coll->nbytes);
    for (uint32_t i = 1; i < team->size; i++) {
        uint32_t rank = pgasi_fetch_neighbour(team, i);
        if (is_on_node(coll, rank))
            pgasi_fetch(coll, result_of(coll, rank), rank, 0, coll->nbytes);
    }
    coll->step = others_show;
    return PGASI_NEXT_READ;
}

static pgasi_next_t blocks_look(pgasi_coll_t *coll)
{
    return pgasi_fetch_look(coll, 0, pgasi_coll_team(coll)->size, blocks_read);
}

pgasi_next_t pgasi_hierarchical_gather(pgasi_coll_t *coll)
{
    coll->step = blocks_look;
    pgasi_seats_make(pgasi_coll_team(coll));
    pgasi_stage_tell(coll->lane);
    char *own = block_places_of(coll).own;
    if (pgasi_stage_show_in_place(coll->lane, coll->src, coll->nbytes))
        return PGASI_NEXT_MEET;
    if (coll->nbytes > 0)
        pgasi_copy(own, coll->src, coll->nbytes);
    pgasi_stage_lend(coll->lane, own, coll->nbytes);
    return PGASI_NEXT_MEET;
}

/* ---- The root's bytes ---- */

/* A share is a slice of a result whose elements are bytes. Where it is read to: its place in the
 * result, where others can read that; else the stage. */
static char *own_share(pgasi_coll_t *coll)
{
    char *place = (char *)coll->dst + slice_begin(coll, own_seat(coll)->local);
    if (pgasi_stage_is_shared(place, own_bytes(coll)))
        return place;
    return pgasi_stage_reserve(coll->lane, own_bytes(coll));
}

static pgasi_next_t shares_show(pgasi_coll_t *coll)
{
    if (!coll->wants)
        return show_next(coll, pgasi_stage_reserve(coll->lane, 0), 0, results_look);
    return show_next(coll, own_share(coll), own_bytes(coll), results_look);
}

static pgasi_next_t root_read(pgasi_coll_t *coll)
{
    pgasi_fetch_found(coll);
    if (coll->wants)
        pgasi_fetch(coll, own_share(coll), coll->root, slice_begin(coll, own_seat(coll)->local),
                    own_bytes(coll));
    else
        pgasi_fetch(coll, coll->dst, coll->root, 0, coll->nbytes);
    coll->step = shares_show;
    return PGASI_NEXT_READ;
}

static pgasi_next_t root_look(pgasi_coll_t *coll)
{
    if (pgasi_coll_is_root(coll))
        return shares_show(coll);
    return pgasi_fetch_look(coll, coll->root, 1, root_read);
}

pgasi_next_t pgasi_hierarchical_broadcast(pgasi_coll_t *coll)
{
    coll->step = root_look;
    pgasi_seats_make(pgasi_coll_team(coll));
    coll->count = coll->nbytes;
    coll->operation.size = 1;
    coll->wants = !is_on_node(coll, coll->root);
    pgasi_stage_tell(coll->lane);
    if (pgasi_coll_is_root(coll))
        pgasi_stage_show(coll->lane, coll->dst, coll->nbytes);
    return PGASI_NEXT_MEET;
}
