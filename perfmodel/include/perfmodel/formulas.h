/**
 * The paper's formulas (5) to (18), one function each, as they are printed.
 *
 * Seconds are those of one product. Counts are of one thread, or of all threads of a layout. spmv.h
 * gives the whole cost of one matrix and layout on one machine.
 *
 * Where the printed formula leaves a choice: B_local of (11) includes the thread's own blocks,
 * which lie on its node and are copied like the others; S_in of (15) counts the values received
 * from the same node and from other nodes (the paper names the former twice).
 */
#ifndef PERFMODEL_FORMULAS_H
#define PERFMODEL_FORMULAS_H

#include "perfmodel/counts.h"
#include "perfmodel/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Formula (5): blocks of a thread. The ceiling applies to rows over blocksize. */
uint64_t model_blocks_of_thread(const model_layout_t *layout, size_t thread);

/** Formula (6): bytes that a row must move between memory and cache. */
double model_bytes_per_row(size_t row_nonzeros);

/** Formula (7): computation of a thread with `blocks` blocks, all taken as full. */
double model_compute_seconds(const model_layout_t *layout, uint64_t blocks,
                             const model_parameters_t *machine);

/** Formula (8): one element in a contiguous transfer within the node, or between nodes. */
double model_contiguous_local_seconds(double bytes, const model_parameters_t *machine);
double model_contiguous_remote_seconds(double bytes, const model_parameters_t *machine);

/** Formula (9): one individual access to another thread of the same node. */
double model_individual_local_seconds(const model_parameters_t *machine);

/** Formula (10): communication of a thread in v1. */
double model_v1_communication_seconds(const model_counts_t *counts,
                                      const model_parameters_t *machine);

/** Formula (11): communication of a node in v2. `counts` of all threads. */
double model_v2_node_seconds(const model_layout_t *layout, const model_counts_t *counts,
                             size_t node, const model_parameters_t *machine);

/** The two terms of (11) for one thread: its share of the maximum, and of the sum. */
double model_v2_local_seconds(const model_layout_t *layout, const model_counts_t *counts,
                              const model_parameters_t *machine);
double model_v2_remote_seconds(const model_layout_t *layout, const model_counts_t *counts,
                               const model_parameters_t *machine);

/** Formula (12): packing of a thread in v3. */
double model_pack_seconds(const model_counts_t *counts, const model_parameters_t *machine);

/** Formula (13): puts of a node in v3. `counts` of all threads. */
double model_v3_node_seconds(const model_layout_t *layout, const model_counts_t *counts,
                             size_t node, const model_parameters_t *machine);

/** The two terms of (13) for one thread. */
double model_v3_local_seconds(const model_counts_t *counts, const model_parameters_t *machine);
double model_v3_remote_seconds(const model_counts_t *counts, const model_parameters_t *machine);

/** Formula (14): copying a thread's own blocks in v3, all taken as full. */
double model_copy_seconds(const model_layout_t *layout, uint64_t blocks,
                          const model_parameters_t *machine);

/** Formula (15): unpacking of a thread in v3. */
double model_unpack_seconds(const model_counts_t *counts, const model_parameters_t *machine);

/** Formulas (16), (17) and (18): one product of v1, v2 and v3. `counts` of all threads. */
double model_v1_seconds(const model_layout_t *layout, const model_counts_t *counts,
                        const model_parameters_t *machine);
double model_v2_seconds(const model_layout_t *layout, const model_counts_t *counts,
                        const model_parameters_t *machine);
double model_v3_seconds(const model_layout_t *layout, const model_counts_t *counts,
                        const model_parameters_t *machine);

#ifdef __cplusplus
}
#endif
#endif
