/**
 * How the rows of a matrix are distributed over threads, and the threads of a job over nodes.
 *
 * Rows form blocks of `blocksize`; thread b mod `threads` owns block b; the last block may be
 * short. Threads are placed on nodes as the runtime places them: N emulated nodes get the threads
 * in blocks, as even as possible, whether or not N divides the number of threads; with a number of
 * threads per node, every node but the last has exactly that many. All numbers are 0-based. Nothing
 * here is collective, and only model_layout_make can fail.
 */
#ifndef PERFMODEL_LAYOUT_H
#define PERFMODEL_LAYOUT_H

#include <meshes/error.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where memory lies, as seen from a thread: its own, another thread's on the same node, or on
 *  another node. */
typedef enum model_place {
    MODEL_OWN = 0,
    MODEL_LOCAL,
    MODEL_REMOTE,
    MODEL_PLACES
} model_place_t;

/** A layout. */
typedef struct model_layout {
    /** N in the paper. */
    size_t rows;
    /** Off-diagonals per row, r_nz in the paper. */
    size_t row_nonzeros;
    /** Rows per block, BLOCKSIZE in the paper. */
    size_t blocksize;
    /** THREADS. */
    size_t threads;
    /** Number of nodes. */
    size_t nodes;
    /** On the node with the most threads. */
    size_t threads_per_node;
    /** Whether the caller gave threads_per_node rather than nodes. */
    bool by_size;
} model_layout_t;

/** The most threads a layout can have. */
#define MODEL_THREADS_MAX ((size_t)1 << 20)

/** The BLOCKSIZE that fathom-spmv works with if it is told `blocksize`: 0 stands for one block per
 *  thread, as even as possible, and no block is larger than the matrix. */
size_t model_layout_blocksize(size_t rows, size_t threads, size_t blocksize);

/**
 * Makes a layout.
 *
 * @param rows, row_nonzeros of the matrix; rows from 1 to 2^31 - 1.
 * @param threads          from 1 to MODEL_THREADS_MAX.
 * @param nodes            0 if not given, else from 1 to `threads`.
 * @param threads_per_node 0 if not given. Without either there is one node; giving both is an
 *                         error.
 * @param blocksize        of model_layout_blocksize; up to 2^31 - 1.
 * @param layout           receives the layout.
 * @param error            receives the reason when the result is false.
 */
bool model_layout_make(size_t rows, size_t row_nonzeros, size_t threads, size_t nodes,
                       size_t threads_per_node, size_t blocksize, model_layout_t *layout,
                       mesh_error_t *error);

/** The node that a thread is on. */
size_t model_layout_node(const model_layout_t *layout, size_t thread);

/** The lowest thread of a node; if `node` is the number of nodes, the number of threads. */
size_t model_layout_leader(const model_layout_t *layout, size_t node);

/** All blocks, including a short last one: B_total of formula (5). */
size_t model_layout_blocks(const model_layout_t *layout);

/** Rows of a block. */
size_t model_layout_block_rows(const model_layout_t *layout, size_t block);

/** Rows that a thread owns; a short last block counts with its actual rows. */
size_t model_layout_thread_rows(const model_layout_t *layout, size_t thread);

#ifdef __cplusplus
}
#endif
#endif
