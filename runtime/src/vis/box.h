/**
 * A strided copy in its general form: chunks in a box of any number of dimensions, each of which
 * has a count and a step on either side.
 */
#ifndef PGASI_VIS_BOX_H
#define PGASI_VIS_BOX_H

#include "vis/move.h"

enum {
    /** No memory has more dimensions of two chunks or more. */
    PGASI_BOX_DIMS = 64
};

typedef struct pgasi_dim {
    size_t count;
    /** Bytes from one step to the next; may be negative. */
    ptrdiff_t dst;
    ptrdiff_t src;
} pgasi_dim_t;

typedef struct pgasi_box {
    /** Contiguous bytes. */
    size_t chunk;
    size_t dims;
    /** Only dimensions with a count of 2 or more. */
    pgasi_dim_t dim[PGASI_BOX_DIMS];
} pgasi_box_t;

/** Starts a box: one chunk of `chunk` bytes (> 0). */
void pgasi_box_begin(pgasi_box_t *box, size_t chunk);

/** Repeats the whole box `count` (> 0) times. Merges what is contiguous on both sides. */
void pgasi_box_repeat(pgasi_box_t *box, size_t count, ptrdiff_t dst, ptrdiff_t src);

/** Moves the chunks of a box; adds what is still in flight to the group. */
void pgasi_box_move(pgasi_group_t *group, const pgasi_box_t *box, pgasi_end_t dst, pgasi_end_t src);

#endif
