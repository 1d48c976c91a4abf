#include "spmv_terms.h"

#include "spmv_variants.h"

double modeli_spmv_seconds(const modeli_case_t *from, model_variant_t variant, model_parts_t *parts,
                           double *nodes, double *room)
{
    for (size_t node = 0; node < from->layout->nodes; node++)
        nodes[node] = 0.0;
    switch (variant) {
    case MODEL_V2:
        return modeli_run_v2(from, parts, nodes, room);
    case MODEL_V3:
        return modeli_run_v3(from, parts, nodes, room);
    case MODEL_V4:
    case MODEL_V5:
        return modeli_run_overlapped(from, variant, parts, nodes);
    default:
        return modeli_run_by_pointers(from, variant, parts, nodes);
    }
}
