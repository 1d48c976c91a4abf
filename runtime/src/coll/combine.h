/**
 * Combining what the members of a team show, always in the same order.
 */
#ifndef PGASI_COLL_COMBINE_H
#define PGASI_COLL_COMBINE_H

#include <stddef.h>
#include <stdint.h>

#include "coll/operation.h"
#include "team/stage.h"
#include "team/types.h"

/** The operands: `count` elements of each member, where they are by rank, and the operation. */
typedef struct pgasi_operands {
    const char *call;
    pgas_team_t *team;
    pgasi_operation_t operation;
    size_t count;
    const pgasi_shown_t *shown;
} pgasi_operands_t;

/** Finds the operands after the meeting of their round. */
void pgasi_operands_find(pgasi_operands_t *operands);

/**
 * Combines elements [first, first + count) of the ranks 0 to `last` into `dst`:
 * x[0] op (x[1] op (... x[last])). The order of ranks and of brackets is always this one, whatever
 * the number of elements. `dst` is not what an operand is read from.
 */
void pgasi_operands_combine(const pgasi_operands_t *operands, size_t first, size_t count,
                            uint32_t last, void *dst);

#endif
