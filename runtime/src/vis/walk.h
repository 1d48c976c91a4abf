/**
 * Walking two sequences of regions side by side.
 *
 * A side gives its regions batch by batch, with addresses already found, so that the loops that
 * move the bytes are short and know neither lists nor threads.
 */
#ifndef PGASI_VIS_WALK_H
#define PGASI_VIS_WALK_H

#include "vis/move.h"
#include "vis/peer_counter.h"

enum {
    PGASI_REGIONS = 128
};

/** One side of a copy. */
typedef struct pgasi_side {
    /** Gives the next batch: sets what follows. Called only while bytes are left. */
    void (*fill)(struct pgasi_side *side);

    /** The batch: its number of regions, */
    size_t count;
    /** by region its address; NULL for memory of another node, */
    void *const *address;
    /** whose place is in `remote`; not read otherwise, */
    const pgas_ptr_t *remote;
    /** by region its length, or NULL if all have `length` bytes, */
    const size_t *lengths;
    size_t length;
    /** and whether `address` has no NULL. */
    bool is_local;

    /** The first region that is not complete, and how many bytes of it are. For the walk. */
    size_t at;
    size_t begun;

    /** For `fill`: the caller's list, how many of its entries are left, whether it was long, and
     * what else `fill` needs. */
    const void *list;
    size_t left;
    bool is_long;
    void *state;
    /** The call, for messages. */
    const char *call;
    /** Counts the bytes of shared memory. NULL for private memory. */
    pgasi_peer_counter_t *counter;

    /** Scratch for a batch, where the list itself does not have these. */
    void *scratch_address[PGASI_REGIONS];
    pgas_ptr_t scratch_remote[PGASI_REGIONS];
    size_t scratch_lengths[PGASI_REGIONS];
} pgasi_side_t;

/** Moves `nbytes`, which both sides have, from the regions of `src` to those of `dst`; adds what is
 *  still in flight to the group. Counts both sides. */
void pgasi_walk(pgasi_group_t *group, pgasi_side_t *dst, pgasi_side_t *src, size_t nbytes);

/** Makes a side one region of private memory. */
void pgasi_side_of_private(pgasi_side_t *side, const char *call, const void *address,
                           size_t nbytes);

/** Puts a region of shared memory into the scratch of a batch. The region is valid. */
static inline void pgasi_side_put(pgasi_side_t *side, size_t at, pgas_ptr_t ptr, size_t nbytes)
{
    pgasi_end_t end = pgasi_shared_end(ptr);
    side->scratch_address[at] = end.address;
    side->scratch_remote[at] = ptr;
    side->scratch_lengths[at] = nbytes;
    side->is_local = side->is_local && end.address != NULL;
    pgasi_peer_counter_add(side->counter, ptr.thread, nbytes);
}

/** Makes the first `count` regions of the scratch the batch. */
static inline void pgasi_side_use_scratch(pgasi_side_t *side, size_t count)
{
    side->count = count;
    side->address = side->scratch_address;
    side->remote = side->scratch_remote;
    side->lengths = side->scratch_lengths;
}

#endif
