#include "perfmodel/spmv.h"

#include <math.h>
#include <stdlib.h>

#include "fail.h"
#include "perfmodel/formulas.h"
#include "spmv_terms.h"

const char *const model_variant_names[] = {"naive", "v1", "v2", "v3", "v4", "v5", "all", NULL};

const char *model_variant_name(model_variant_t variant)
{
    return model_variant_names[variant];
}

double model_parts_sum(const model_parts_t *parts)
{
    return parts->pack + parts->put + parts->copy + parts->unpack + parts->compute +
           parts->communication;
}

double model_thread_bytes(const model_layout_t *layout, const model_counts_t *counts)
{
    uint64_t foreign = counts->values_in[MODEL_LOCAL] + counts->values_in[MODEL_REMOTE];
    uint64_t matrix = counts->rows * (layout->row_nonzeros * (sizeof(double) + sizeof(int32_t)));
    /* D, x, y, and own values again in the copy. */
    return (double)(matrix + (4 * counts->rows + foreign) * sizeof(double));
}

double model_working_set_bytes(const model_layout_t *layout, const model_counts_t *counts)
{
    double most = 0.0;
    for (size_t t = 0; t < layout->threads; t++)
        most = fmax(most, model_thread_bytes(layout, &counts[t]));
    return most;
}

typedef double paper_t(const model_layout_t *layout, const model_counts_t *counts,
                       const model_parameters_t *machine);

static paper_t *const paper_formulas[MODEL_VARIANTS] = {
    [MODEL_V1] = model_v1_seconds,
    [MODEL_V2] = model_v2_seconds,
    [MODEL_V3] = model_v3_seconds,
};

model_parts_t model_paper_parts(const model_layout_t *layout, const model_counts_t *counts,
                                const model_parameters_t *machine, model_variant_t variant)
{
    double compute = model_compute_seconds(layout, counts->blocks, machine);
    switch (variant) {
    case MODEL_V1:
        return (model_parts_t){
            .compute = compute,
            .communication = model_v1_communication_seconds(counts, machine),
        };
    case MODEL_V2:
        return (model_parts_t){
            .copy = model_v2_local_seconds(layout, counts, machine) +
                    model_v2_remote_seconds(layout, counts, machine),
            .compute = compute,
        };
    case MODEL_V3:
        return (model_parts_t){
            .pack = model_pack_seconds(counts, machine),
            .put =
                model_v3_local_seconds(counts, machine) + model_v3_remote_seconds(counts, machine),
            .copy = model_copy_seconds(layout, counts->blocks, machine),
            .unpack = model_unpack_seconds(counts, machine),
            .compute = compute,
        };
    default:
        return (model_parts_t){0};
    }
}

/* Makes one estimate of the three cases of the parameters. */
static model_estimate_t estimate(const double seconds[MODEL_CASES])
{
    return (model_estimate_t){
        .predicted = seconds[MODEL_TYPICAL],
        .low = fmin(seconds[MODEL_FASTEST], seconds[MODEL_TYPICAL]),
        .high = fmax(seconds[MODEL_SLOWEST], seconds[MODEL_TYPICAL]),
    };
}

static void predict(const model_layout_t *layout, const model_counts_t *counts,
                    const model_machine_t *machine, model_prediction_t *made, double *room)
{
    /* The typical case comes last: its parts are kept. */
    static const model_case_t order[MODEL_CASES] = {MODEL_FASTEST, MODEL_SLOWEST, MODEL_TYPICAL};
    double paper[MODEL_CASES] = {0.0};
    double seconds[MODEL_CASES];
    paper_t *formula = paper_formulas[made->variant];
    for (int c = 0; c < MODEL_CASES; c++) {
        modeli_case_t from = {
            .layout = layout,
            .counts = counts,
            .machine = model_machine_parameters(machine, order[c]),
            .overlaps = order[c] != MODEL_SLOWEST,
        };
        if (formula != NULL)
            paper[order[c]] = formula(layout, counts, &from.machine);
        seconds[order[c]] =
            modeli_spmv_seconds(&from, made->variant, made->threads, made->nodes, room);
    }
    made->has_paper = formula != NULL;
    made->paper = estimate(paper);
    made->seconds = estimate(seconds);
}

model_caches_t model_machine_caches(const model_machine_t *machine)
{
    return (model_caches_t){machine->first_level_cache_bytes, machine->second_level_cache_bytes,
                            machine->last_level_share_bytes};
}

/* Without the size of the cache there are no lines of x to count. */
static model_parameter_set_t left_out(const model_layout_t *layout, const model_machine_t *machine,
                                      model_variant_t variant)
{
    model_parameter_set_t missing =
        machine->second_level_cache_bytes > 0.0 ? 0 : MODEL_BIT(MODEL_GATHER_ACCESS);
    for (int p = 0; p < MODEL_PARAMETERS; p++)
        if (!machine->has[p])
            missing |= MODEL_BIT(p);
    return missing & modeli_spmv_parameters(variant, layout);
}

bool model_predict(const model_layout_t *layout, const model_counts_t *counts,
                   const model_machine_t *machine, model_variant_t variant,
                   model_prediction_t *prediction, mesh_error_t *error)
{
    model_prediction_t made = {
        .variant = variant,
        .threads = calloc(layout->threads, sizeof *made.threads),
        .nodes = calloc(layout->nodes, sizeof *made.nodes),
    };
    double *room = calloc(layout->threads, sizeof *room);
    if (made.threads == NULL || made.nodes == NULL || room == NULL) {
        free(room);
        model_prediction_free(&made);
        return modeli_fail_memory(error, "a prediction", layout->threads * sizeof *made.threads);
    }
    predict(layout, counts, machine, &made, room);
    free(room);
    made.left_out = left_out(layout, machine, variant);
    *prediction = made;
    return true;
}

void model_prediction_free(model_prediction_t *prediction)
{
    free(prediction->nodes);
    free(prediction->threads);
    prediction->nodes = NULL;
    prediction->threads = NULL;
}
