/**
 * The results of a run, as a table for people and as JSON for programs.
 *
 * JSON: {"program", "version", "matrix": {"path", "rows", "row_nonzeros"}, "threads", "nodes",
 * "blocksize" (rows), "iterations" (per repetition), "repetitions",
 * "counts": per thread the quantities of section 5.4: {"thread", "node", "rows", "blocks" (B_comp),
 *   "individual" (C_indv), "needed_blocks" (B), "needed_bytes" (of those), "values_in",
 * "values_out" (S), "messages_in", "messages_out" (C)}, each by place {"own", "local", "remote"}
 * where it has one; operations or values per iteration; and, for v5, "node_messages_out" and
 * "node_values_out", one message between two nodes, at the lowest thread of each node, "variants":
 * [{"variant", "seconds_per_1000_iterations": {"median", "min", "max"}, "speedup_over_naive"
 * (absent without naive), "gb_per_s" (formula (6), 1e9 bytes), "prepare_seconds", "check": "ok",
 * "failed" or "none", "error" (relative; absent if it is not finite), "overflow_after" (products
 * from the start after which values are not finite; absent if they are), "traffic_as_predicted",
 * "storage" (v4 and v5: how all threads' rows are kept): {"product" (local_product.h), "entries"
 * (places for off-diagonals), "nonzeros" (those that are no padding), "bytes" (of the matrix that
 * one product reads, x and y not counted)},
 * "threads": [{"thread", "seconds_per_iteration": {"pack", "put", "copy", "unpack", "compute",
 * "barrier"}, of which v4 and v5 have "put" (packing too), "compute", "barrier" (waiting for
 * values) and "unpack" (copying those that boundary rows use), "traffic" (counted, of one
 * iteration; with a fraction where not all iterations counted the same, as they must): [{"place",
 * "mode", "direction", "operations", "bytes"}]}]}]}
 */
#ifndef SPMV_REPORT_H
#define SPMV_REPORT_H

#include "run.h"

/** All that a report needs. */
typedef struct spmv_report {
    const char *matrix;
    const spmv_problem_t *problem;
    const spmv_settings_t *settings;
    /** One per thread. */
    const spmv_counts_t *counts;
    const spmv_result_t *results;
    size_t result_count;
} spmv_report_t;

/** Prints the table to standard output. For thread 0. */
void spmv_report_print(const spmv_report_t *report);

/** Writes JSON to `path`, or to standard output for "-". The file appears whole or not at all. For
 *  thread 0. Ends the job with one line if it cannot be written. */
void spmv_report_write(const spmv_report_t *report, const char *path);

#endif
