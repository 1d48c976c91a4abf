/* Beyond the paper: v4 with one message between two nodes in place of one between two threads. */
#include "overlap.h"

static void *v5_prepare(const spmv_problem_t *problem)
{
    return spmv_overlap_prepare(problem, PGAS_PLAN_BY_NODE);
}

/* Within the node as v4; to other nodes the leader's messages for all its node's threads. */
static spmv_traffic_t v5_traffic(const spmv_problem_t *problem, const spmv_counts_t *counts)
{
    spmv_traffic_t traffic = spmv_v4.traffic(problem, counts);
    traffic.traffic[PGAS_REMOTE][PGAS_CONDENSED][PGAS_TO] =
        (pgas_traffic_t){counts->node_messages_out, counts->node_values_out * sizeof(double)};
    return traffic;
}

const spmv_variant_t spmv_v5 = {
    .name = "v5",
    .prepare = v5_prepare,
    .step = spmv_overlap_step,
    .traffic = v5_traffic,
    .describe = spmv_overlap_describe,
    .release = spmv_overlap_release,
};
