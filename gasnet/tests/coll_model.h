/**
 * What random tests of collectives share: the kinds of operations, elements that are combined and
 * where they lie, and the ways to synchronise.
 */
#ifndef GASNET_TESTS_COLL_MODEL_H
#define GASNET_TESTS_COLL_MODEL_H

#include "client.h"

#include <gasnet_coll.h>

#include "random.h"

enum {
    BROADCAST,
    SCATTER,
    GATHER,
    GATHER_ALL,
    EXCHANGE,
    REDUCE,
    SCAN,
    KINDS
};

/* Sums, or x -> a x + b, one after the other. */
typedef struct pair {
    uint64_t a;
    uint64_t b;
} pair_t;

static inline pair_t combine(pair_t left, pair_t right, int is_ordered)
{
    if (!is_ordered)
        return (pair_t){left.a + right.a, left.b + right.b};
    return (pair_t){left.a * right.a, left.b * right.a + right.b};
}

/* Elements of images, in blocks that go round from one on; or all at one image, if a block is 0. */
typedef struct layout {
    size_t block;
    size_t offset;
} layout_t;

/* Where element `i` is in the part of one of so many images, if it is there. */
static inline int find(layout_t layout, gasnet_image_t total, gasnet_image_t image, size_t i,
                       size_t *at)
{
    *at = i;
    if (layout.block == 0)
        return layout.offset == image;
    size_t place = layout.offset + i;
    *at = place / layout.block / total * layout.block + place % layout.block;
    return place / layout.block % total == image;
}

/* Whether a reduction is another one: of the elements of each image one by one. */
static inline int is_by_element(layout_t layout)
{
    return layout.block == 0 && layout.offset == 0;
}

/* Waits for an operation in one of several ways. */
static inline void synchronise_handle(gasnet_coll_handle_t handle, uint64_t *state)
{
    gasnet_coll_handle_t list[2] = {handle, GASNET_COLL_INVALID_HANDLE};
    switch (random_below(state, 5)) {
    case 0:
        while (gasnet_coll_try_sync(handle) != GASNET_OK)
            ;
        break;
    case 1:
        while (gasnet_coll_try_sync_all(list, 2) != GASNET_OK)
            gasnet_AMPoll();
        break;
    case 2:
        gasnet_coll_wait_sync_some(list, 2);
        break;
    case 3:
        gasnet_coll_wait_sync_all(list, 2);
        break;
    default:
        gasnet_coll_wait_sync(handle);
    }
}

#endif
