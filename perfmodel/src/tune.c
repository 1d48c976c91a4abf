#include "perfmodel/tune.h"

#include <stdlib.h>

#include "fail.h"
#include "perfmodel/features.h"

/* A cache line of x. */
static const size_t least_rows = 8;

static int descending(const void *a, const void *b)
{
    size_t first = *(const size_t *)a;
    size_t second = *(const size_t *)b;
    return (first < second) - (first > second);
}

size_t model_tune_candidates(size_t rows, size_t threads, size_t candidates[MODEL_CANDIDATES_MAX])
{
    static const size_t small[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96};
    enum {
        SMALL = sizeof small / sizeof small[0]
    };
    size_t even = (rows + threads - 1) / threads;
    size_t count = 0;
    for (size_t s = 0; s < SMALL; s++) {
        size_t blocks = threads * small[s];
        candidates[count++] = (rows + blocks - 1) / blocks;
    }
    for (size_t power = least_rows; power < even && count < MODEL_CANDIDATES_MAX; power *= 2)
        candidates[count++] = power;
    qsort(candidates, count, sizeof *candidates, descending);
    size_t kept = 1;
    for (size_t c = 1; c < count; c++)
        if (candidates[c] != candidates[kept - 1] && candidates[c] >= least_rows)
            candidates[kept++] = candidates[c];
    return kept;
}

/* Adds what threads get from each other. */
static void add_traffic(const model_counts_t *c, model_point_t *point)
{
    for (int place = MODEL_LOCAL; place < MODEL_PLACES; place++) {
        uint64_t messages = c->messages_out[place];
        uint64_t bytes = c->values_out[place] * sizeof(double);
        if (point->variant == MODEL_NAIVE || point->variant == MODEL_V1) {
            messages = c->individual[place];
            bytes = messages * sizeof(double);
        } else if (point->variant == MODEL_V2) {
            messages = c->needed_blocks[place];
            bytes = c->needed_bytes[place];
        } else if (point->variant == MODEL_V5 && place == MODEL_REMOTE) {
            messages = c->node_messages_out;
            bytes = c->node_values_out * sizeof(double);
        }
        point->messages += messages;
        point->volume_bytes += bytes;
        point->remote_messages += place == MODEL_REMOTE ? messages : 0;
        point->remote_bytes += place == MODEL_REMOTE ? bytes : 0;
    }
}

static bool make_point(const model_layout_t *layout, const model_counts_t *counts,
                       const model_machine_t *machine, model_variant_t variant,
                       model_point_t *point, mesh_error_t *error)
{
    model_prediction_t prediction;
    model_deviations_t deviations;
    if (!model_deviate(layout, counts, machine, variant, &deviations, error) ||
        !model_predict(layout, counts, machine, variant, &prediction, error))
        return false;
    *point = (model_point_t){
        .blocksize = layout->blocksize,
        .variant = variant,
        .has_paper = prediction.has_paper,
        .seconds = prediction.seconds,
        .paper = prediction.paper,
        .deviations = deviations,
        .mean_rows = (double)layout->rows / (double)layout->threads,
    };
    model_features(layout, counts, point->features);
    for (size_t t = 0; t < layout->threads; t++) {
        add_traffic(&counts[t], point);
        if (counts[t].rows > point->largest_rows)
            point->largest_rows = counts[t].rows;
    }
    model_prediction_free(&prediction);
    return true;
}

bool model_sweep(const model_matrix_t *matrix, const model_layout_t *layout,
                 const model_machine_t *machine, const size_t *blocksizes, size_t count,
                 unsigned variants, const mesh_progress_t *progress, model_point_t *points,
                 mesh_error_t *error)
{
    model_counts_t *counts = calloc(layout->threads, sizeof *counts);
    bool done =
        counts != NULL || modeli_fail_memory(error, "counts", layout->threads * sizeof *counts);
    for (size_t b = 0; done && b < count; b++) {
        model_layout_t tried = *layout;
        tried.blocksize = model_layout_blocksize(layout->rows, layout->threads, blocksizes[b]);
        if (progress != NULL)
            progress->report(progress->context, "trying block sizes", b, count);
        done = model_count(matrix, &tried, model_machine_caches(machine), 0, NULL, counts, error);
        for (int v = 0; done && v < MODEL_VARIANTS; v++)
            if ((variants & (1U << (unsigned)v)) != 0)
                done = make_point(&tried, counts, machine, (model_variant_t)v, points++, error);
    }
    free(counts);
    return done;
}

size_t model_sweep_best(const model_point_t *points, size_t count)
{
    size_t best = 0;
    for (size_t p = 1; p < count; p++)
        if (points[p].seconds.predicted < points[best].seconds.predicted)
            best = p;
    return best;
}
