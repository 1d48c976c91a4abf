/**
 * How a prediction changes with the spread of each parameter.
 */
#ifndef PERFMODEL_DEVIATION_H
#define PERFMODEL_DEVIATION_H

#include "perfmodel/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One per parameter, and one for whether v4's and v5's messages are hidden. */
#define MODEL_DEVIATIONS (MODEL_PARAMETERS + 1)

/** Seconds by which a product's prediction changes when one parameter alone goes from its median
 *  to its best and to its worst measured value; 0 if it has no effect. The last one is what v4 and
 *  v5 lose if nothing is hidden; it has no better side. */
typedef struct model_deviations {
    double better[MODEL_DEVIATIONS];
    double worse[MODEL_DEVIATIONS];
} model_deviations_t;

/**
 * Finds the deviations of one variant.
 *
 * @param counts     of all threads, as for model_predict.
 * @param deviations receives them.
 * @param error      receives the reason when the result is false: memory.
 */
bool model_deviate(const model_layout_t *layout, const model_counts_t *counts,
                   const model_machine_t *machine, model_variant_t variant,
                   model_deviations_t *deviations, mesh_error_t *error);

#ifdef __cplusplus
}
#endif
#endif
