/*
 * Collectives that combine (coll/algorithm.h). Linear: whoever wants the result combines all
 * operands itself. Rabenseifner: each member combines a slice, in a second round shows it, and
 * whoever wants the result reads all slices.
 */
#include <pgas/coll_async.h>

#include <pgas/detail.h>

#include "coll/choice.h"
#include "coll/combine.h"
#include "coll/fetch.h"
#include "coll/forms.h"
#include "coll/hierarchical.h"
#include "team/calls.h"

/* Where the operands of all members are: in the slots, or what pgasi_fetch_find has found. */
static void find_operands(pgasi_coll_t *coll)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    pgasi_fetch_found(coll);
    if (coll->shown != NULL)
        return;
    pgasi_shown_t *shown = pgasi_fetch_table(coll);
    for (uint32_t rank = 0; rank < team->size; rank++)
        shown[rank].at = pgasi_stage_find(coll->lane, rank);
    coll->shown = shown;
}

/* Begins to combine elements of all, or of what nodes have made of them. */
static void begin_combining(pgasi_coll_t *coll, size_t first, size_t count)
{
    find_operands(coll);
    if (coll->algorithm == PGASI_ALGORITHM_COMBINING)
        pgasi_combine_begin_some(coll, PGASI_COMBINED_NODES, first, count, NULL, coll->dst);
    else
        pgasi_combine_begin(coll, first, count, pgasi_coll_team(coll)->size - 1, coll->dst);
}

/* Combines what is left, and then closes. */
static pgasi_next_t combine(pgasi_coll_t *coll)
{
    return pgasi_combine_next(coll) ? PGASI_NEXT_READ : pgasi_coll_close(coll);
}

/* Shows an operand that the caller may overwrite: it is lent only if it does not. */
static void show_operand(pgasi_coll_t *coll)
{
    pgasi_choice_carry(coll);
    if (coll->src != coll->dst || coll->nbytes == 0)
        pgasi_stage_show(coll->lane, coll->src, coll->nbytes);
    else
        pgasi_copy(pgasi_stage_begin(coll->lane, coll->nbytes), coll->src, coll->nbytes);
}

/* ---- Linear ---- */

static pgasi_next_t linear_combine(pgasi_coll_t *coll)
{
    begin_combining(coll, 0, coll->count);
    coll->step = combine;
    return combine(coll);
}

static pgasi_next_t linear_find(pgasi_coll_t *coll)
{
    if (!coll->wants)
        return pgasi_coll_close(coll);
    return pgasi_fetch_find(coll, 0, pgasi_coll_team(coll)->size, linear_combine);
}

static pgasi_next_t linear_show(pgasi_coll_t *coll)
{
    show_operand(coll);
    coll->step = linear_find;
    return coll->kind == PGASI_KIND_OF_REDUCE ? pgasi_coll_meet_root(coll) : PGASI_NEXT_MEET;
}

/* ---- Rabenseifner ---- */

/* The first element of a rank's slice. */
static size_t slice_begin(const pgasi_coll_t *coll, uint32_t rank)
{
    return pgasi_piece_begin(coll->count, pgasi_coll_team(coll)->size, rank);
}

static size_t slice_count(const pgasi_coll_t *coll, uint32_t rank)
{
    return slice_begin(coll, rank + 1) - slice_begin(coll, rank);
}

static pgasi_next_t slices_read(pgasi_coll_t *coll)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    size_t size = coll->operation.size;
    pgasi_fetch_found(coll);
    for (uint32_t i = 0; i < team->size; i++) {
        uint32_t rank = pgasi_fetch_neighbour(team, i);
        pgasi_fetch(coll, (char *)coll->dst + slice_begin(coll, rank) * size, rank, 0,
                    slice_count(coll, rank) * size);
    }
    coll->step = pgasi_coll_close;
    return PGASI_NEXT_READ;
}

static pgasi_next_t slices_find(pgasi_coll_t *coll)
{
    if (!coll->wants)
        return PGASI_NEXT_LAST_MEETING;
    return pgasi_fetch_look(coll, 0, pgasi_coll_team(coll)->size, slices_read);
}

/* Combines the own slice; then the second round begins, in which it is shown. */
static pgasi_next_t slice_combine(pgasi_coll_t *coll)
{
    if (pgasi_combine_next(coll))
        return PGASI_NEXT_READ;
    size_t nbytes = slice_count(coll, pgasi_coll_team(coll)->rank) * coll->operation.size;
    pgasi_stage_next(coll->lane);
    pgasi_stage_tell(coll->lane);
    pgasi_stage_lend(coll->lane, coll->combining.dst, nbytes);
    coll->step = slices_find;
    return PGASI_NEXT_MEET;
}

/* Where in the stage the slice goes: behind the operand, unless that is shared. */
static char *slice_place(pgasi_coll_t *coll)
{
    size_t size = coll->operation.size;
    size_t slice = slice_count(coll, pgasi_coll_team(coll)->rank);
    bool is_copied = coll->lane->lent == 0 && !pgasi_stage_is_shared(coll->src, coll->nbytes);
    size_t operand = is_copied ? coll->nbytes : 0;
    return pgasi_stage_reserve(coll->lane, operand + (slice + 1) * size) + operand;
}

static pgasi_next_t slice_begins(pgasi_coll_t *coll)
{
    uint32_t rank = pgasi_coll_team(coll)->rank;
    find_operands(coll);
    pgasi_combine_begin(coll, slice_begin(coll, rank), slice_count(coll, rank),
                        pgasi_coll_team(coll)->size - 1, slice_place(coll));
    coll->step = slice_combine;
    return slice_combine(coll);
}

static pgasi_next_t operands_look(pgasi_coll_t *coll)
{
    return pgasi_fetch_look(coll, 0, pgasi_coll_team(coll)->size, slice_begins);
}

static pgasi_next_t slices_show(pgasi_coll_t *coll)
{
    coll->step = operands_look;
    pgasi_stage_tell(coll->lane);
    if (pgasi_stage_show_in_place(coll->lane, coll->src, coll->nbytes))
        return PGASI_NEXT_MEET;
    char *copy = slice_place(coll) - coll->nbytes;
    uint32_t rank = pgasi_coll_team(coll)->rank;
    size_t size = coll->operation.size;
    pgasi_stage_copy_others(copy, coll->src, coll->nbytes, slice_begin(coll, rank) * size,
                            slice_count(coll, rank) * size);
    pgasi_stage_lend(coll->lane, copy, coll->nbytes);
    return PGASI_NEXT_MEET;
}

/* ---- Calls ---- */

static void set_operands(pgasi_coll_t *coll, const void *src, void *dst, size_t count)
{
    coll->src = src;
    coll->dst = dst;
    coll->count = count;
    coll->nbytes = pgasi_fetch_product(coll->name, count, coll->operation.size);
    coll->shown_bytes = coll->nbytes;
    coll->runs_program = coll->operation.is_own;
    pgasi_fetch_check_buffer(coll->name, src, coll->nbytes);
}

/* As long as the operand, and in its place or apart from it. */
static void check_result(const pgasi_coll_t *coll)
{
    pgasi_fetch_check_buffer(coll->name, coll->dst, coll->nbytes);
    pgasi_fetch_check_apart(coll->name, coll->src, coll->nbytes, coll->dst, coll->nbytes, true);
}

static void begin_reduction(pgasi_coll_t *coll, pgasi_coll_kind_t kind, pgas_team_t *team,
                            const void *src, void *dst, size_t count)
{
    pgasi_coll_begin(coll, team, linear_show);
    set_operands(coll, src, dst, count);
    pgasi_choice_make(coll, kind, coll->nbytes);
    if (coll->algorithm == PGASI_ALGORITHM_RABENSEIFNER)
        coll->step = slices_show;
    if (coll->algorithm == PGASI_ALGORITHM_HIERARCHICAL ||
        coll->algorithm == PGASI_ALGORITHM_MULTILANE)
        coll->step = pgasi_hierarchical_show;
}

static void reduce(pgasi_coll_t *coll, pgas_team_t *team, const void *src, void *dst, size_t count,
                   pgas_datatype_t type, pgas_op_t op, int root)
{
    coll->operation = pgasi_operation_find(coll->name, type, op);
    uint64_t signature = pgasi_operation_signature(&coll->operation);
    coll->call = (pgasi_call_t){.call = PGASI_REDUCE,
                                .count = 4,
                                .arguments = {count, (uint64_t)type, signature, (uint64_t)root}};
    begin_reduction(coll, PGASI_KIND_OF_REDUCE, team, src, dst, count);
    pgasi_fetch_set_root(coll, root);
    coll->wants = pgasi_coll_is_root(coll);
    if (coll->wants)
        check_result(coll);
}

static void allreduce(pgasi_coll_t *coll, pgas_team_t *team, const void *src, void *dst,
                      size_t count, pgas_datatype_t type, pgas_op_t op)
{
    coll->operation = pgasi_operation_find(coll->name, type, op);
    uint64_t signature = pgasi_operation_signature(&coll->operation);
    coll->call = (pgasi_call_t){
        .call = PGASI_ALLREDUCE, .count = 3, .arguments = {count, (uint64_t)type, signature}};
    begin_reduction(coll, PGASI_KIND_OF_ALLREDUCE, team, src, dst, count);
    coll->wants = true;
    check_result(coll);
}

/* Combines the elements from coll->combining.first on. */
static pgasi_next_t own_combine(pgasi_coll_t *coll)
{
    begin_combining(coll, coll->combining.first, coll->combining.count);
    coll->step = combine;
    return combine(coll);
}

static pgasi_next_t own_find(pgasi_coll_t *coll)
{
    return pgasi_fetch_find(coll, 0, pgasi_coll_team(coll)->size, own_combine);
}

static pgasi_next_t own_show(pgasi_coll_t *coll)
{
    size_t size = coll->operation.size;
    pgasi_choice_carry(coll);
    pgasi_stage_show_others(coll->lane, coll->src, coll->nbytes, coll->combining.first * size,
                            coll->combining.count * size);
    coll->step = own_find;
    return PGASI_NEXT_MEET;
}

static void reduce_scatter(pgasi_coll_t *coll, pgas_team_t *team, const void *src, void *dst,
                           const size_t *counts, pgas_datatype_t type, pgas_op_t op)
{
    coll->operation = pgasi_operation_find(coll->name, type, op);
    uint64_t signature = pgasi_operation_signature(&coll->operation);
    pgasi_team_require(coll->name, team);
    if (counts == NULL)
        pgasi_fatal(coll->name, "there are no counts: the pointer is NULL");
    size_t first = 0;
    size_t count = 0;
    for (uint32_t rank = 0; rank < team->size; rank++) {
        first = rank == team->rank ? count : first;
        count = pgasi_fetch_sum(coll->name, count, counts[rank]);
    }
    coll->call = (pgasi_call_t){
        .call = PGASI_REDUCE_SCATTER, .count = 4, .arguments = {0, 0, (uint64_t)type, signature}};
    pgasi_call_set_counts(&coll->call, counts, team->size);
    pgasi_coll_begin(coll, team, own_show);
    set_operands(coll, src, dst, count);
    pgasi_choice_make(coll, PGASI_KIND_OF_REDUCE_SCATTER, coll->nbytes);
    size_t result_bytes = counts[team->rank] * coll->operation.size;
    pgasi_fetch_check_buffer(coll->name, dst, result_bytes);
    pgasi_fetch_check_apart(coll->name, src, coll->nbytes, dst, result_bytes, false);
    coll->combining.first = first;
    coll->combining.count = counts[team->rank];
}

static pgasi_next_t scan_combine(pgasi_coll_t *coll)
{
    uint32_t rank = pgasi_coll_team(coll)->rank;
    find_operands(coll);
    pgasi_combine_begin(coll, 0, coll->count, coll->wants ? rank : rank - 1, coll->dst);
    coll->step = combine;
    return combine(coll);
}

/* The first rank's exclusive scan has no operands. */
static pgasi_next_t scan_find(pgasi_coll_t *coll)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    if (coll->wants || team->rank > 0)
        return pgasi_fetch_find(coll, 0, team->size, scan_combine);
    if (!coll->operation.is_own)
        pgasi_neutral(coll->operation.type, coll->operation.op, coll->dst, coll->count);
    return pgasi_coll_close(coll);
}

static pgasi_next_t scan_show(pgasi_coll_t *coll)
{
    show_operand(coll);
    coll->step = scan_find;
    return PGASI_NEXT_MEET;
}

static void scan(pgasi_coll_t *coll, pgas_team_t *team, const void *src, void *dst, size_t count,
                 pgas_datatype_t type, pgas_op_t op, bool is_inclusive)
{
    coll->operation = pgasi_operation_find(coll->name, type, op);
    uint64_t signature = pgasi_operation_signature(&coll->operation);
    coll->call = (pgasi_call_t){.call = is_inclusive ? PGASI_SCAN_INCLUSIVE : PGASI_SCAN_EXCLUSIVE,
                                .count = 3,
                                .arguments = {count, (uint64_t)type, signature}};
    pgasi_coll_begin(coll, team, scan_show);
    set_operands(coll, src, dst, count);
    pgasi_choice_make(coll, PGASI_KIND_OF_SCAN, coll->nbytes);
    coll->wants = is_inclusive;
    check_result(coll);
}

PGASI_COLL_FORMS(pgas_reduce,
                 (pgas_team_t * team, const void *src, void *dst, size_t count,
                  pgas_datatype_t type, pgas_op_t op, int root),
                 reduce(&coll, team, src, dst, count, type, op, root))
PGASI_COLL_FORMS(pgas_allreduce,
                 (pgas_team_t * team, const void *src, void *dst, size_t count,
                  pgas_datatype_t type, pgas_op_t op),
                 allreduce(&coll, team, src, dst, count, type, op))
PGASI_COLL_FORMS(pgas_reduce_scatter,
                 (pgas_team_t * team, const void *src, void *dst, const size_t *counts,
                  pgas_datatype_t type, pgas_op_t op),
                 reduce_scatter(&coll, team, src, dst, counts, type, op))
PGASI_COLL_FORMS(pgas_scan_inclusive,
                 (pgas_team_t * team, const void *src, void *dst, size_t count,
                  pgas_datatype_t type, pgas_op_t op),
                 scan(&coll, team, src, dst, count, type, op, true))
PGASI_COLL_FORMS(pgas_scan_exclusive,
                 (pgas_team_t * team, const void *src, void *dst, size_t count,
                  pgas_datatype_t type, pgas_op_t op),
                 scan(&coll, team, src, dst, count, type, op, false))
