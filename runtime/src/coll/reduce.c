/*
 * Collectives that combine. Up to what a slot holds, whoever wants the result combines all operands
 * itself. Of longer ones each member combines a slice, in a second round shows it, and whoever
 * wants the result reads all slices.
 */
#include <pgas/coll.h>

#include <string.h>

#include "coll/combine.h"
#include "coll/fetch.h"
#include "team/meet.h"

static pgasi_operands_t operands_of(const char *call, pgas_team_t *team, size_t count,
                                    pgas_datatype_t type, pgas_op_t op)
{
    return (pgasi_operands_t){
        .call = call,
        .team = team,
        .operation = pgasi_operation_find(call, type, op),
        .count = count,
    };
}

/* Shows an operand that the caller may overwrite: it is lent only if it does not. */
static void show_operand(pgas_team_t *team, const void *src, const void *dst, size_t nbytes)
{
    if (src != dst || nbytes == 0)
        pgasi_stage_show(team, src, nbytes);
    else
        memcpy(pgasi_stage_begin(team, nbytes), src, nbytes);
}

/* The first element of a rank's slice. */
static size_t slice_begin(const pgasi_operands_t *operands, uint32_t rank)
{
    uint32_t size = operands->team->size;
    size_t each = operands->count / size;
    size_t more = operands->count % size;
    return rank * each + (rank < more ? rank : more);
}

static size_t slice_count(const pgasi_operands_t *operands, uint32_t rank)
{
    return slice_begin(operands, rank + 1) - slice_begin(operands, rank);
}

/* Second round: reads all slices. */
static void read_slices(const pgasi_operands_t *operands, void *dst)
{
    pgas_team_t *team = operands->team;
    size_t size = operands->operation.size;
    pgasi_shown_t *shown = pgasi_fetch_table(operands->call, team);
    pgasi_stage_look_all(team, 0, team->size, shown);
    for (uint32_t i = 0; i < team->size; i++) {
        uint32_t rank = pgasi_fetch_neighbour(team, i);
        pgasi_fetch((char *)dst + slice_begin(operands, rank) * size, shown[rank].at, 0,
                    slice_count(operands, rank) * size);
    }
    pgasi_fetch_wait();
}

/* The stage takes the operand, unless that is shared, and behind it the slice. */
static void reduce_long(pgasi_operands_t *operands, const void *src, void *dst, bool wants)
{
    pgas_team_t *team = operands->team;
    size_t size = operands->operation.size;
    size_t nbytes = operands->count * size;
    size_t slice = slice_count(operands, team->rank);
    bool is_lent = pgasi_stage_is_shared(src, nbytes);
    char *stage = pgasi_stage_reserve((is_lent ? 0 : nbytes) + (slice + 1) * size);
    char *result = is_lent ? stage : stage + nbytes;
    if (!is_lent)
        memcpy(stage, src, nbytes);
    pgasi_stage_lend(team, is_lent ? src : stage, nbytes);
    pgasi_team_meet(team);
    pgasi_operands_find(operands);
    pgasi_operands_combine(operands, slice_begin(operands, team->rank), slice, team->size - 1,
                           result);
    pgasi_stage_next(team);
    pgasi_stage_lend(team, result, slice * size);
    pgasi_team_meet(team);
    if (wants)
        read_slices(operands, dst);
    pgasi_stage_end(team, true);
}

static void reduce_short(pgasi_operands_t *operands, const void *src, void *dst, bool wants)
{
    pgas_team_t *team = operands->team;
    pgasi_stage_show(team, src, operands->count * operands->operation.size);
    pgasi_team_meet(team);
    if (wants) {
        pgasi_operands_find(operands);
        pgasi_operands_combine(operands, 0, operands->count, team->size - 1, dst);
    }
    pgasi_stage_end(team, false);
}

static void reduce(pgasi_operands_t *operands, const void *src, void *dst, bool wants)
{
    const char *call = operands->call;
    size_t nbytes = pgasi_fetch_product(call, operands->count, operands->operation.size);
    pgasi_fetch_check_buffer(call, src, nbytes);
    if (wants)
        pgasi_fetch_check_buffer(call, dst, nbytes);
    if (pgasi_stage_is_long(nbytes))
        reduce_long(operands, src, dst, wants);
    else
        reduce_short(operands, src, dst, wants);
    pgasi_team_end();
}

void pgas_reduce(pgas_team_t *team, const void *src, void *dst, size_t count, pgas_datatype_t type,
                 pgas_op_t op, int root)
{
    pgasi_operands_t operands = operands_of(__func__, team, count, type, op);
    PGASI_TEAM_CALL(team, PGASI_REDUCE, count, (uint64_t)type,
                    pgasi_operation_signature(&operands.operation), (uint64_t)root);
    pgasi_fetch_check_root(__func__, team, root);
    reduce(&operands, src, dst, (uint32_t)root == team->rank);
}

void pgas_allreduce(pgas_team_t *team, const void *src, void *dst, size_t count,
                    pgas_datatype_t type, pgas_op_t op)
{
    pgasi_operands_t operands = operands_of(__func__, team, count, type, op);
    PGASI_TEAM_CALL(team, PGASI_ALLREDUCE, count, (uint64_t)type,
                    pgasi_operation_signature(&operands.operation));
    reduce(&operands, src, dst, true);
}

void pgas_reduce_scatter(pgas_team_t *team, const void *src, void *dst, const size_t *counts,
                         pgas_datatype_t type, pgas_op_t op)
{
    pgasi_operands_t operands = operands_of(__func__, team, 0, type, op);
    pgasi_team_require(__func__, team);
    if (counts == NULL)
        pgasi_fatal(__func__, "there are no counts: the pointer is NULL");
    size_t first = 0;
    for (uint32_t rank = 0; rank < team->size; rank++) {
        first = rank == team->rank ? operands.count : first;
        operands.count = pgasi_fetch_sum(__func__, operands.count, counts[rank]);
    }
    size_t nbytes = pgasi_fetch_product(__func__, operands.count, operands.operation.size);
    PGASI_TEAM_CALL(team, PGASI_REDUCE_SCATTER, pgasi_fetch_hash(counts, team->size),
                    (uint64_t)type, pgasi_operation_signature(&operands.operation));
    pgasi_fetch_check_buffer(__func__, src, nbytes);
    pgasi_fetch_check_buffer(__func__, dst, counts[team->rank]);
    pgasi_stage_show(team, src, nbytes);
    pgasi_team_meet(team);
    pgasi_operands_find(&operands);
    pgasi_operands_combine(&operands, first, counts[team->rank], team->size - 1, dst);
    pgasi_stage_end(team, pgasi_stage_is_long(nbytes));
    pgasi_team_end();
}

static void scan(pgasi_operands_t *operands, const void *src, void *dst, bool is_inclusive)
{
    pgas_team_t *team = operands->team;
    const char *call = operands->call;
    size_t nbytes = pgasi_fetch_product(call, operands->count, operands->operation.size);
    pgasi_fetch_check_buffer(call, src, nbytes);
    pgasi_fetch_check_buffer(call, dst, nbytes);
    show_operand(team, src, dst, nbytes);
    pgasi_team_meet(team);
    if (is_inclusive || team->rank > 0) {
        pgasi_operands_find(operands);
        pgasi_operands_combine(operands, 0, operands->count,
                               is_inclusive ? team->rank : team->rank - 1, dst);
    } else if (!operands->operation.is_own) {
        pgasi_neutral(operands->operation.type, operands->operation.op, dst, operands->count);
    }
    pgasi_stage_end(team, pgasi_stage_is_long(nbytes));
    pgasi_team_end();
}

void pgas_scan_inclusive(pgas_team_t *team, const void *src, void *dst, size_t count,
                         pgas_datatype_t type, pgas_op_t op)
{
    pgasi_operands_t operands = operands_of(__func__, team, count, type, op);
    PGASI_TEAM_CALL(team, PGASI_SCAN_INCLUSIVE, count, (uint64_t)type,
                    pgasi_operation_signature(&operands.operation));
    scan(&operands, src, dst, true);
}

void pgas_scan_exclusive(pgas_team_t *team, const void *src, void *dst, size_t count,
                         pgas_datatype_t type, pgas_op_t op)
{
    pgasi_operands_t operands = operands_of(__func__, team, count, type, op);
    PGASI_TEAM_CALL(team, PGASI_SCAN_EXCLUSIVE, count, (uint64_t)type,
                    pgasi_operation_signature(&operands.operation));
    scan(&operands, src, dst, false);
}
