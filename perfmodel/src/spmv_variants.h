/**
 * The seconds of a product in each variant: see modeli_spmv_seconds of spmv_terms.h, whose
 * arguments these have. `nodes` must be 0.
 */
#ifndef PERFMODEL_SRC_SPMV_VARIANTS_H
#define PERFMODEL_SRC_SPMV_VARIANTS_H

#include "spmv_case.h"

/** naive and v1. */
double modeli_run_by_pointers(const modeli_case_t *from, model_variant_t variant,
                              model_parts_t *parts, double *nodes);

/** v2. `thread_seconds`: room for a number per thread. */
double modeli_run_v2(const modeli_case_t *from, model_parts_t *parts, double *nodes,
                     double *thread_seconds);

/** v3; the same. */
double modeli_run_v3(const modeli_case_t *from, model_parts_t *parts, double *nodes,
                     double *thread_seconds);

/** v4 and v5. */
double modeli_run_overlapped(const modeli_case_t *from, model_variant_t variant,
                             model_parts_t *parts, double *nodes);

#endif
