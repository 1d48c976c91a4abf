/**
 * The traffic that the runtime must have counted, from the counts.
 */
#ifndef PERFMODEL_TOOLS_COMPARE_TRAFFIC_H
#define PERFMODEL_TOOLS_COMPARE_TRAFFIC_H

#include <jansson.h>
#include <stdbool.h>

#include "perfmodel/perfmodel.h"

/** Whether the "traffic" that fathom-spmv reports for one thread and one product of a variant is
 *  what the counts predict: the same places, modes and directions with the same operations and
 *  bytes, and nothing else. */
bool compare_traffic_is_as_counted(const json_t *traffic, model_variant_t variant,
                                   const model_layout_t *layout, const model_counts_t *counts);

#endif
