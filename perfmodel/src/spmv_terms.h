/**
 * One product of one variant with one set of parameters, with the terms that the paper leaves out.
 */
#ifndef PERFMODEL_SRC_SPMV_TERMS_H
#define PERFMODEL_SRC_SPMV_TERMS_H

#include "spmv_case.h"

/** Seconds of a product. `parts` receives the parts of every thread, `nodes` the communication of
 *  every node; `room` is scratch space for one number per thread. */
double modeli_spmv_seconds(const modeli_case_t *from, model_variant_t variant, model_parts_t *parts,
                           double *nodes, double *room);

/** The parameters that a variant's terms need, one bit each. One node needs none of the network's,
 *  one thread per node none for local accesses. */
model_parameter_set_t modeli_spmv_parameters(model_variant_t variant, const model_layout_t *layout);

#endif
