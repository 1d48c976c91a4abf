/**
 * What the variants have in common: one table of functions each, one file each.
 */
#ifndef SPMV_VARIANT_H
#define SPMV_VARIANT_H

#include <assert.h>

#include "common/timing.h"
#include "counts.h"
#include "problem.h"

/** The paper's parts of an iteration (section 5). */
typedef enum spmv_part {
    SPMV_PACK = 0,
    SPMV_PUT,
    SPMV_COPY,
    SPMV_UNPACK,
    SPMV_COMPUTE,
    SPMV_BARRIER,
    SPMV_PARTS
} spmv_part_t;

static_assert(SPMV_PARTS <= COMMON_PARTS, "parts of a clock");

/** How a variant stores the calling thread's rows, where it has its own copy of them. */
typedef struct spmv_storage {
    /** The product's name (local_product.h); the same on all threads. */
    const char *product;
    /** Places for off-diagonals, those that hold one, and bytes that one product reads. */
    uint64_t entries;
    uint64_t nonzeros;
    uint64_t bytes;
} spmv_storage_t;

/** A variant of the product. */
typedef struct spmv_variant {
    const char *name;
    /** The one-time preparation, which may write to y. Collective. Returns the variant's own state,
     *  or NULL. */
    void *(*prepare)(const spmv_problem_t *problem);
    /**
     * y = M x. Collective. When it returns, the calling thread's part of y is written, and its part
     * of x may be overwritten by the next step; others may still be at work. Books its time.
     */
    void (*step)(const spmv_problem_t *problem, void *state, common_clock_t *clock);
    /** The traffic that one step must count, from the matrix alone. Not collective. */
    spmv_traffic_t (*traffic)(const spmv_problem_t *problem, const spmv_counts_t *counts);
    /** Tells how the calling thread's rows are stored; NULL where the variant uses the
     *  problem's. */
    void (*describe)(const void *state, spmv_storage_t *storage);
    /** Frees the state. Collective. */
    void (*release)(void *state);
} spmv_variant_t;

extern const spmv_variant_t spmv_naive;
extern const spmv_variant_t spmv_v1;
extern const spmv_variant_t spmv_v2;
extern const spmv_variant_t spmv_v3;
extern const spmv_variant_t spmv_v4;
extern const spmv_variant_t spmv_v5;

#endif
