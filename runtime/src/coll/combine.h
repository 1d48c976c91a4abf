/**
 * Combining what the members of a team show, always in the same order.
 */
#ifndef PGASI_COLL_COMBINE_H
#define PGASI_COLL_COMBINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coll/types.h"

/** Of `count` elements in so many pieces, as even as possible, those before the i-th. */
static inline size_t pgasi_piece_begin(size_t count, uint32_t pieces, uint32_t i)
{
    size_t each = count / pieces;
    size_t more = count % pieces;
    return i * each + (i < more ? i : more);
}

/**
 * Begins to combine elements [first, first + count) of the ranks 0 to `last` into `dst`:
 * x[0] op (x[1] op (... x[last])). The order of ranks and of brackets is always this one, whatever
 * the number of elements. coll->shown says where the elements of each member are; the caller's own
 * operand is read from coll->src, unless that is `dst`, which no other operand is read from.
 */
void pgasi_combine_begin(pgasi_coll_t *coll, size_t first, size_t count, uint32_t last, void *dst);

/** The same of some ranks. The caller's own operand is read from `own`, or NULL: where it is shown.
 *  The team has its table of seats. */
void pgasi_combine_begin_some(pgasi_coll_t *coll, pgasi_combined_t of, size_t first, size_t count,
                              const void *own, void *dst);

/** Goes on: true if something is to be read first, and the next step must call it again; false if
 *  all are combined. */
bool pgasi_combine_next(pgasi_coll_t *coll);

#endif
