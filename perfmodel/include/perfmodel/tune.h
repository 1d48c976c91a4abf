/**
 * Searching BLOCKSIZE and variant for the least predicted time.
 */
#ifndef PERFMODEL_TUNE_H
#define PERFMODEL_TUNE_H

#include "perfmodel/deviation.h"
#include "perfmodel/features.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What one BLOCKSIZE with one variant costs, and what makes it so. */
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
    /** Rows of the thread that has most: the load balance. */
    uint64_t largest_rows;
    /** Rows per thread. */
    double mean_rows;
    /** Of the matrix with this block size. */
    double features[MODEL_FEATURES];
    /** Per product, all threads together: bytes that one thread has of another, and in how many
     *  operations; and the parts of both that go from node to node. With naive and v1 an operation
     *  is an access, with v2 a block, else a message. */
    uint64_t volume_bytes;
    uint64_t messages;
    uint64_t remote_bytes;
    uint64_t remote_messages;
} model_point_t;

/** The most block sizes that model_tune_candidates gives. */
#define MODEL_CANDIDATES_MAX 96

/**
 * Block sizes worth trying: one block per thread, as even as possible; that divided by small and
 * then by growing numbers, so that every thread has the same number of blocks; and the powers of
 * two below. The least is a cache line of x.
 *
 * @param candidates receives them, descending, each once.
 * @return how many.
 */
size_t model_tune_candidates(size_t rows, size_t threads, size_t candidates[MODEL_CANDIDATES_MAX]);

/**
 * Predicts several block sizes and variants. The matrix is counted once for each block size, for
 * the machine's caches.
 *
 * @param matrix     the matrix.
 * @param layout     threads and nodes; its blocksize is not used.
 * @param machine    suits the layout's nodes.
 * @param blocksizes `count` of them, each at least 1.
 * @param variants   bit v: model_variant_t v is wanted.
 * @param progress   told about the block sizes that are done; may be NULL.
 * @param points     receives `count` times the number of wanted variants, by block size and then
 *                   by variant.
 * @param error      receives the reason when the result is false: memory.
 */
bool model_sweep(const model_matrix_t *matrix, const model_layout_t *layout,
                 const model_machine_t *machine, const size_t *blocksizes, size_t count,
                 unsigned variants, const mesh_progress_t *progress, model_point_t *points,
                 mesh_error_t *error);

/** The index of the point with the least predicted time; of equal ones the first. `count` is
 *  positive. */
size_t model_sweep_best(const model_point_t *points, size_t count);

#ifdef __cplusplus
}
#endif
#endif
