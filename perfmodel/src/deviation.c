#include "perfmodel/deviation.h"

#include <stdlib.h>

#include "fail.h"
#include "spmv_terms.h"

/* What a prediction is computed from, and memory to compute it in. */
typedef struct work {
    modeli_case_t from;
    model_variant_t variant;
    model_parts_t *parts;
    double *nodes;
    double *room;
} work_t;

static double seconds_of(const work_t *work)
{
    return modeli_spmv_seconds(&work->from, work->variant, work->parts, work->nodes, work->room);
}

/* The prediction with one parameter at another value and the others unchanged. */
static double moved(work_t *work, int parameter, double value, double typical)
{
    double kept = work->from.machine.value[parameter];
    if (value == kept)
        return 0.0;
    work->from.machine.value[parameter] = value;
    double seconds = seconds_of(work);
    work->from.machine.value[parameter] = kept;
    return seconds - typical;
}

static void deviate(work_t *work, const model_machine_t *machine, model_deviations_t *deviations)
{
    const model_parameters_t best = model_machine_parameters(machine, MODEL_FASTEST);
    const model_parameters_t worst = model_machine_parameters(machine, MODEL_SLOWEST);
    model_parameter_set_t asked = modeli_spmv_parameters(work->variant, work->from.layout);
    double typical = seconds_of(work);
    *deviations = (model_deviations_t){{0}, {0}};
    /* The paper's parameters are not in this set, but replace some that are absent. */
    asked |= MODEL_BIT(MODEL_PRIVATE_BANDWIDTH) | MODEL_BIT(MODEL_REMOTE_BANDWIDTH) |
             MODEL_BIT(MODEL_REMOTE_LATENCY);
    for (int p = 0; p < MODEL_PARAMETERS; p++)
        if (machine->has[p] && (asked & MODEL_BIT(p)) != 0) {
            deviations->better[p] = moved(work, p, best.value[p], typical);
            deviations->worse[p] = moved(work, p, worst.value[p], typical);
        }
    work->from.overlaps = false;
    deviations->worse[MODEL_PARAMETERS] = seconds_of(work) - typical;
}

bool model_deviate(const model_layout_t *layout, const model_counts_t *counts,
                   const model_machine_t *machine, model_variant_t variant,
                   model_deviations_t *deviations, mesh_error_t *error)
{
    work_t work = {
        .from = {.layout = layout,
                 .counts = counts,
                 .machine = model_machine_parameters(machine, MODEL_TYPICAL),
                 .overlaps = true},
        .variant = variant,
        .parts = calloc(layout->threads, sizeof *work.parts),
        .nodes = calloc(layout->nodes, sizeof *work.nodes),
        .room = calloc(layout->threads, sizeof *work.room),
    };
    bool ready = work.parts != NULL && work.nodes != NULL && work.room != NULL;
    if (ready)
        deviate(&work, machine, deviations);
    else
        modeli_report(error, "not enough memory for the deviations of %zu threads",
                      layout->threads);
    free(work.room);
    free(work.nodes);
    free(work.parts);
    return ready;
}
