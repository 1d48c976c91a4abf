/* Beyond the paper: v3's messages by a plan, overlapped with rows that need none, without a
 * barrier. */
#include "overlap.h"

static void *v4_prepare(const spmv_problem_t *problem)
{
    return spmv_overlap_prepare(problem, 0);
}

/* The messages of v3. */
static spmv_traffic_t v4_traffic(const spmv_problem_t *problem, const spmv_counts_t *counts)
{
    (void)problem;
    spmv_traffic_t traffic = {0};
    for (int place = 0; place < PGAS_PLACES; place++)
        traffic.traffic[place][PGAS_CONDENSED][PGAS_TO] = (pgas_traffic_t){
            counts->messages_out[place], counts->values_out[place] * sizeof(double)};
    return traffic;
}

const spmv_variant_t spmv_v4 = {
    .name = "v4",
    .prepare = v4_prepare,
    .step = spmv_overlap_step,
    .traffic = v4_traffic,
    .describe = spmv_overlap_describe,
    .release = spmv_overlap_release,
};
