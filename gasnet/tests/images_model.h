/**
 * What operations on several images do, computed plainly: what images there are, what an operation
 * is, what each image sends, and what it has afterwards.
 */
#ifndef GASNET_TESTS_IMAGES_MODEL_H
#define GASNET_TESTS_IMAGES_MODEL_H

#include <string.h>

#include "coll_model.h"

enum {
    MOST_BYTES = 20000,
    MOST_ELEMENTS = 5000,
    MOST_IMAGES = 64,
    CLEAN = 0xa5
};

static gasnet_image_t *images;
static gasnet_image_t *firsts;
static gasnet_image_t total;
static gasnet_image_t locals;
static size_t room; /* of one side of an operation */

/* ---- Images ---- */

static inline gasnet_node_t node_of(gasnet_image_t image)
{
    gasnet_node_t node = 0;
    while (firsts[node + 1] <= image)
        node++;
    return node;
}

static inline void count_images(const char *digits)
{
    const gasnet_node_t nodes = gasnet_nodes();
    images = malloc(nodes * sizeof *images);
    firsts = malloc((nodes + (size_t)1) * sizeof *firsts);
    for (gasnet_node_t node = 0; node < nodes; node++) {
        images[node] = (gasnet_image_t)(digits[node % strlen(digits)] - '0');
        firsts[node] = total;
        total += images[node];
    }
    firsts[nodes] = total;
    locals = images[gasnet_mynode()];
    CHECK(total <= MOST_IMAGES);
    room = total * (size_t)MOST_BYTES;
    if (room < 2 * MOST_ELEMENTS * sizeof(pair_t))
        room = 2 * MOST_ELEMENTS * sizeof(pair_t);
}

/* ---- Operations ---- */

/* What is the same for all images. */
typedef struct operation {
    unsigned kind;
    unsigned index;
    unsigned in;
    unsigned out;
    gasnet_image_t root;
    size_t nbytes;
    size_t seed;
    layout_t from;
    layout_t to;
    size_t count;
    int is_ordered;
    int is_inclusive;
    int is_single;
    int is_aggregated;
    int is_in_place;
    int is_src_in_segment;
    int is_dst_in_segment;
} operation_t;

static inline int is_from_root(const operation_t *op)
{
    return op->kind == BROADCAST || op->kind == SCATTER;
}

static inline int is_computed(const operation_t *op)
{
    return op->kind == REDUCE || op->kind == SCAN;
}

static inline int is_reduced_by_element(const operation_t *op)
{
    return op->kind == REDUCE && is_by_element(op->from);
}

static inline size_t seed_of(const operation_t *op, gasnet_image_t from, gasnet_image_t to)
{
    return op->seed + 17 * from + (op->kind == SCATTER || op->kind == EXCHANGE ? to : 0);
}

static inline pair_t element(const operation_t *op, size_t i)
{
    uint64_t state = op->seed + i;
    return (pair_t){random_below(&state, SIZE_MAX) | 1, random_below(&state, SIZE_MAX)};
}

static inline int is_in_place(const operation_t *op, gasnet_image_t image)
{
    return op->is_in_place &&
           (op->kind == GATHER_ALL || (op->kind < GATHER_ALL && image == op->root));
}

/* What an image sends: bytes at its source. */
static inline size_t make_source(const operation_t *op, gasnet_image_t image, char *bytes)
{
    if (is_reduced_by_element(op)) {
        for (size_t i = 0; i < op->count; i++) {
            const pair_t value = element(op, image * op->count + i);
            memcpy(bytes + i * sizeof value, &value, sizeof value);
        }
        return op->count * sizeof(pair_t);
    }
    if (is_computed(op)) {
        size_t end = 0;
        for (size_t i = 0; i < op->count; i++) {
            size_t at;
            const pair_t value = element(op, i);
            if (!find(op->from, total, image, i, &at))
                continue;
            memcpy(bytes + at * sizeof value, &value, sizeof value);
            end = (at + 1) * sizeof value;
        }
        return end;
    }
    if (is_from_root(op) && image != op->root)
        return 0;
    const gasnet_image_t blocks = op->kind == SCATTER || op->kind == EXCHANGE ? total : 1;
    for (gasnet_image_t i = 0; i < blocks; i++)
        fill(bytes + i * op->nbytes, seed_of(op, image, i), op->nbytes);
    return blocks * op->nbytes;
}

static inline size_t compute_by_element(const operation_t *op, gasnet_image_t image, char *bytes)
{
    if (image != op->root)
        return 0;
    for (size_t i = 0; i < op->count; i++) {
        pair_t so_far = element(op, i);
        for (gasnet_image_t from = 1; from < total; from++)
            so_far = combine(so_far, element(op, from * op->count + i), op->is_ordered);
        memcpy(bytes + i * sizeof so_far, &so_far, sizeof so_far);
    }
    return op->count * sizeof(pair_t);
}

static inline size_t compute(const operation_t *op, gasnet_image_t image, char *bytes)
{
    pair_t so_far = {0, 0};
    size_t end = 0;
    for (size_t i = 0; i < op->count; i++) {
        size_t at;
        const pair_t before = so_far;
        so_far = i == 0 ? element(op, 0) : combine(so_far, element(op, i), op->is_ordered);
        if (op->kind != SCAN || !find(op->to, total, image, i, &at) ||
            (i == 0 && !op->is_inclusive))
            continue;
        memcpy(bytes + at * sizeof so_far, op->is_inclusive ? &so_far : &before, sizeof so_far);
        end = (at + 1) * sizeof so_far;
    }
    if (op->kind == SCAN || image != op->root || op->count == 0)
        return end;
    memcpy(bytes, &so_far, sizeof so_far);
    return sizeof so_far;
}

/* What an image has afterwards: bytes at its destination. */
static inline size_t make_result(const operation_t *op, gasnet_image_t image, char *bytes)
{
    memset(bytes, CLEAN, room);
    if (is_reduced_by_element(op))
        return compute_by_element(op, image, bytes);
    if (is_computed(op))
        return compute(op, image, bytes);
    if (op->kind == GATHER && image != op->root)
        return 0;
    const gasnet_image_t blocks = is_from_root(op) ? 1 : total;
    for (gasnet_image_t i = 0; i < blocks; i++)
        fill(bytes + i * op->nbytes, seed_of(op, is_from_root(op) ? op->root : i, image),
             op->nbytes);
    return blocks * op->nbytes;
}

#endif
