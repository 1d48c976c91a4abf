/**
 * Counts what every thread would do and move, from the matrix alone and without running: the
 * quantities of section 5.4 of the paper, for any number of threads and nodes and any BLOCKSIZE.
 *
 * The counts equal, to the last message and byte, what `fathom-spmv --json` reports as "counts" and
 * what the runtime counts as traffic.
 */
#ifndef PERFMODEL_COUNTS_H
#define PERFMODEL_COUNTS_H

#include <stdint.h>

#include "perfmodel/layout.h"
#include "perfmodel/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Caches that lines of x come from, in bytes. All 0: unknown. */
typedef struct model_caches {
    /** Of a core; the first level may be unknown by itself. */
    double first_level;
    double second_level;
    /** A thread's share of the last level. */
    double share;
} model_caches_t;

/** Which lines of x are counted together. */
typedef enum model_line_kind {
    /** In all rows, padded to one width as in naive to v3. */
    MODEL_ALL_LINES = 0,
    /** Those of them that hold values of the thread's node. */
    MODEL_NODE_LINES,
    /** In v4 and v5, which read no padding: rows that use own values only. */
    MODEL_INTERIOR_LINES,
    /** In their other rows, no matter who owns the values. */
    MODEL_BOUNDARY_LINES,
    MODEL_LINE_KINDS
} model_line_kind_t;

/** Counts of one thread, per product. Index by model_place_t. */
typedef struct model_counts {
    /** Rows it owns. */
    uint64_t rows;
    /** B_comp, its blocks: formula (5). */
    uint64_t blocks;
    /** C_indv: off-diagonals by where their x lies. */
    uint64_t individual[MODEL_PLACES];
    /** B: blocks of x it needs; all of its own. */
    uint64_t needed_blocks[MODEL_PLACES];
    /** Bytes of those; a short last block counts with its actual rows. */
    uint64_t needed_bytes[MODEL_PLACES];
    /** S_in: different values of x needed from others. */
    uint64_t values_in[MODEL_PLACES];
    /** Threads that they come from. */
    uint64_t messages_in[MODEL_PLACES];
    /** S_out: different values of x that others need. */
    uint64_t values_out[MODEL_PLACES];
    /** C_out: threads that need them. */
    uint64_t messages_out[MODEL_PLACES];
    /** With one message between two nodes: those of all threads of its node, counted at the node's
     *  lowest thread; a value that k threads of the other node need counts k times. */
    uint64_t node_messages_out;
    uint64_t node_values_out;
    /** Lines of eight values of x, counted from its start, that hold needed values, by where these
     *  lie; a line with values from both the same and another node counts for each. */
    uint64_t lines_in[MODEL_PLACES];
    /** Lines of eight values of x, counted from its start, that a product has to fetch out of
     *  order into a core's first-level cache, by the place of the value that causes the fetch,
     *  once per fetch; support/reuse.h has the rule. 0 if no cache size is given. */
    uint64_t x_lines[MODEL_PLACES];
    /** Those of these lines that the core's second-level cache holds, those that the thread's share
     *  of the last level holds, and those that come from memory, by the rows that use them. */
    uint64_t close_lines[MODEL_LINE_KINDS];
    uint64_t near_lines[MODEL_LINE_KINDS];
    uint64_t far_lines[MODEL_LINE_KINDS];
    /** And those in sequence that the second-level cache holds and the first does not: not among
     *  x_lines, and 0 if the size of the first is not given. */
    uint64_t sequence_lines[MODEL_LINE_KINDS];
    /** Rows with lines out of order, by the place of the one that comes from farthest away. */
    uint64_t close_rows[MODEL_LINE_KINDS];
    uint64_t near_rows[MODEL_LINE_KINDS];
    uint64_t far_rows[MODEL_LINE_KINDS];
    /** For v4 and v5. Boundary rows: those that use at least one value of another thread, or all of
     *  the thread's if few do not (support/boundary.h); and the different own values that these
     *  rows use, all of the thread's in that case. */
    uint64_t boundary_rows;
    uint64_t boundary_own_values;
    /** Of the other rows, those in slices of eight whose columns, as places in the thread's own
     *  part of x, span more than 65,536; rows are taken as unsorted. */
    uint64_t wide_rows;
    /** Places for off-diagonals in the matrices of these rows and of boundary rows, padding
     *  included: together the entries of the thread in fathom-spmv's "storage". Off-diagonals at a
     *  row's end in its own column count as padding, since only J is read. */
    uint64_t interior_entries;
    uint64_t boundary_entries;
} model_counts_t;

/**
 * Counts for every thread of a layout, on several processors at once.
 *
 * Each worker holds 5 bytes per row and 4 per block, and, if the caches are given, 40 more per line
 * of x, which is 5 bytes per row, and 24 per line of the caches. The workers share the threads of
 * the layout, so a layout of one thread keeps one processor busy. Columns are read in order if the
 * matrix is ordered, else at random.
 *
 * @param matrix      the matrix; the layout has its sizes.
 * @param layout      the layout.
 * @param caches      a machine's (model_machine_caches); if the second level is 0 no lines of x
 *                    are counted.
 * @param workers     processors to use; 0: all that this process may use.
 * @param progress    is told how many of the layout's threads are done; may be NULL.
 * @param counts      receives `layout->threads` counts.
 * @param error       receives the reason when the result is false: memory.
 */
bool model_count(const model_matrix_t *matrix, const model_layout_t *layout, model_caches_t caches,
                 size_t workers, const mesh_progress_t *progress, model_counts_t *counts,
                 mesh_error_t *error);

#ifdef __cplusplus
}
#endif
#endif
