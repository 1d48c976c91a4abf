/**
 * A prediction of the product as JSON.
 */
#ifndef PERFMODEL_TOOLS_PREDICTION_JSON_H
#define PERFMODEL_TOOLS_PREDICTION_JSON_H

#include "command.h"

/** What a prediction was made from. */
typedef struct prediction_case {
    const model_layout_t *layout;
    const model_counts_t *counts;
    const model_machine_t *machine;
} prediction_case_t;

/**
 * "variant", "paper_seconds" where the paper has formulas, "seconds", "left_out";
 * "threads_summary": a summary over the threads of every part of "seconds_per_iteration" and of
 * their sum, "total"; "slowest_thread", the one with the largest sum; "nodes_summary" and
 * "slowest_node", likewise.
 *
 * @param iterations the number of products that the times are for.
 * @param per_thread adds "threads" and "nodes", with an element for each.
 */
json_t *prediction_json(const prediction_case_t *from, const model_prediction_t *prediction,
                        double iterations, bool per_thread);

#endif
