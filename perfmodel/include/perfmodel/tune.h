/**
 * The search for the BLOCKSIZE and variant with the least predicted time.
 */
#ifndef PERFMODEL_TUNE_H
#define PERFMODEL_TUNE_H

#include "perfmodel/deviation.h"
#include "perfmodel/features.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What one BLOCKSIZE with one variant costs, and why. */
typedef struct model_point {
    size_t blocksize;
    model_variant_t variant;
    /** Whether the paper has a formula for the variant. */
    bool has_paper;
    /** Of a product. */
    model_estimate_t seconds;
    /** The same by the paper's formulas. */
    model_estimate_t paper;
    /** How `seconds` moves with each parameter. */
    model_deviations_t deviations;
    /** Rows of the thread with the most: the load balance. */
    uint64_t largest_rows;
    /** Rows per thread. */
    double mean_rows;
    /** Of the matrix with this block size. */
    double features[MODEL_FEATURES];
    /** Per product, over all threads: bytes that threads get from each other, and in how many
     *  operations; and the parts of both that cross nodes. An operation is an access in naive and
     *  v1, a block in v2, else a message. */
    uint64_t volume_bytes;
    uint64_t messages;
    uint64_t remote_bytes;
    uint64_t remote_messages;
} model_point_t;

/** The most block sizes that model_tune_candidates gives. */
#define MODEL_CANDIDATES_MAX 96

/**
 * Block sizes worth trying: one block per thread, as even as possible; that size divided by small
 * and then by growing numbers, so that every thread has the same number of blocks, or, where rows
 * do not divide so, one less; and the powers of two below it. The smallest is a cache line of x.
 *
 * @param candidates receives them in descending order, without duplicates.
 * @return how many.
 */
size_t model_tune_candidates(size_t rows, size_t threads, size_t candidates[MODEL_CANDIDATES_MAX]);

/**
 * Predicts several block sizes and variants. Counts the matrix once per block size, for the
 * machine's caches.
 *
 * @param matrix     the matrix.
 * @param layout     threads and nodes; its blocksize is ignored.
 * @param machine    one that suits the layout's nodes.
 * @param blocksizes `count` of them, each as for model_layout_blocksize.
 * @param variants   bit v selects model_variant_t v.
 * @param progress   is told which block sizes are done; may be NULL.
 * @param points     receives `count` times the number of selected variants, by block size and then
 *                   by variant.
 * @param error      receives the reason when the result is false: memory.
 */
bool model_sweep(const model_matrix_t *matrix, const model_layout_t *layout,
                 const model_machine_t *machine, const size_t *blocksizes, size_t count,
                 unsigned variants, const mesh_progress_t *progress, model_point_t *points,
                 mesh_error_t *error);

/** The index of the point with the least predicted time, the first of equal ones. `count` is
 *  positive. */
size_t model_sweep_best(const model_point_t *points, size_t count);

#ifdef __cplusplus
}
#endif
#endif
