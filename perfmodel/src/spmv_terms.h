/**
 * One product of one variant with one set of parameters, with the terms that the paper leaves out.
 */
#ifndef PERFMODEL_SRC_SPMV_TERMS_H
#define PERFMODEL_SRC_SPMV_TERMS_H

#include "perfmodel/spmv.h"

/** What the terms are computed from. */
typedef struct modeli_case {
    const model_layout_t *layout;
    const model_counts_t *counts;
    model_parameters_t machine;
    /** Whether v4's and v5's messages travel while interior rows are computed. */
    bool overlaps;
} modeli_case_t;

/** Seconds of a product. `parts` receives those of every thread, `nodes` the communication of every
 *  node; `room` has a number per thread to work with. */
double modeli_spmv_seconds(const modeli_case_t *from, model_variant_t variant, model_parts_t *parts,
                           double *nodes, double *room);

/** The parameters that a variant's terms ask for, one bit each; on one node those of the network
 *  are not among them, and with a thread per node those of local accesses. */
model_parameter_set_t modeli_spmv_parameters(model_variant_t variant, const model_layout_t *layout);

#endif
