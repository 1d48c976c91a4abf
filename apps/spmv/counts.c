#include "counts.h"

#include <stdlib.h>
#include <string.h>

#include "common/large.h"

/* How many values each pair of threads exchanges: element t of thread s's block is what t needs of
 * s. A table of THREADS values per thread, for counting only; the variants themselves have none. */
typedef struct survey {
    const spmv_problem_t *problem;
    spmv_counts_t *counts;
    unsigned char *value_seen;
    unsigned char *block_seen;
    uint64_t *values_from;
} survey_t;

static void see_value(survey_t *survey, size_t column)
{
    const pgas_array_t *x = survey->problem->x;
    int owner = pgas_array_owner(x, column);
    pgas_place_t place = pgas_place_of(owner);
    survey->counts->individual[place]++;
    survey->block_seen[column / x->block] = 1;
    if (!survey->value_seen[column]) {
        survey->value_seen[column] = 1;
        survey->values_from[owner]++;
    }
}

static void see_rows(survey_t *survey)
{
    const spmv_problem_t *problem = survey->problem;
    const int32_t *loc_J = pgas_array_mine(&problem->J);
    for (size_t k = 0; k < survey->counts->rows; k++)
        for (size_t j = 0; j < problem->r_nz; j++)
            see_value(survey, (size_t)loc_J[k * problem->r_nz + j]);
}

static void add_blocks(survey_t *survey)
{
    const spmv_problem_t *problem = survey->problem;
    for (size_t b = 0; b < problem->nblks; b++) {
        size_t offset = b * problem->blocksize;
        pgas_place_t place = pgas_place_of(pgas_array_owner(problem->x, offset));
        if (survey->block_seen[b] || place == PGAS_OWN) {
            survey->counts->needed_blocks[place]++;
            survey->counts->needed_bytes[place] +=
                spmv_block_rows(problem, offset) * sizeof(double);
        }
    }
}

static bool is_lowest_of_node(void)
{
    int lowest = 0;
    while (pgas_node_of(lowest) != pgas_node_of(pgas_mythread()))
        lowest++;
    return lowest == pgas_mythread();
}

/* The values that threads of the own node have and other nodes need, by node. */
static void add_node_messages(survey_t *survey, const pgas_array_t *wanted)
{
    size_t threads = (size_t)pgas_threads();
    if (!is_lowest_of_node())
        return;
    uint64_t *values_to = common_alloc("counts by node", threads, sizeof *values_to);
    memset(values_to, 0, threads * sizeof *values_to);
    for (size_t from = 0; from < threads; from++)
        if (pgas_place_of((int)from) != PGAS_REMOTE)
            for (size_t to = 0; to < threads; to++)
                if (pgas_place_of((int)to) == PGAS_REMOTE)
                    values_to[pgas_node_of((int)to)] +=
                        PGAS_GET(uint64_t, wanted, from * threads + to);
    for (size_t node = 0; node < threads; node++) {
        survey->counts->node_values_out += values_to[node];
        survey->counts->node_messages_out += values_to[node] > 0;
    }
    free(values_to);
}

static void add_messages(survey_t *survey)
{
    size_t threads = (size_t)pgas_threads();
    pgas_array_t wanted;
    if (pgas_array_create(threads * threads, sizeof(uint64_t), threads, &wanted) != PGAS_OK)
        pgas_exit(1);
    size_t me = (size_t)pgas_mythread();
    for (size_t t = 0; t < threads; t++) {
        uint64_t values = t == me ? 0 : survey->values_from[t];
        pgas_place_t place = pgas_place_of((int)t);
        survey->counts->values_in[place] += values;
        survey->counts->messages_in[place] += values > 0;
        PGAS_PUT(uint64_t, &wanted, t * threads + me, values);
    }
    pgas_barrier();
    for (size_t t = 0; t < threads; t++) {
        uint64_t values = PGAS_GET(uint64_t, &wanted, me * threads + t);
        pgas_place_t place = pgas_place_of((int)t);
        survey->counts->values_out[place] += values;
        survey->counts->messages_out[place] += values > 0;
    }
    add_node_messages(survey, &wanted);
    pgas_array_free(&wanted);
}

void spmv_counts_take(const spmv_problem_t *problem, spmv_counts_t *counts)
{
    *counts = (spmv_counts_t){
        .rows = pgas_array_owned(&problem->D, pgas_mythread()),
        .blocks = problem->mythread_nblks,
    };
    survey_t survey = {
        .problem = problem,
        .counts = counts,
        .value_seen = common_alloc("counts", problem->n, 1),
        .block_seen = common_alloc("counts", problem->nblks, 1),
        .values_from = common_alloc("counts", (size_t)pgas_threads(), sizeof(uint64_t)),
    };
    memset(survey.value_seen, 0, problem->n);
    memset(survey.block_seen, 0, problem->nblks);
    memset(survey.values_from, 0, (size_t)pgas_threads() * sizeof(uint64_t));
    see_rows(&survey);
    add_blocks(&survey);
    add_messages(&survey);
    free(survey.values_from);
    free(survey.block_seen);
    free(survey.value_seen);
}
