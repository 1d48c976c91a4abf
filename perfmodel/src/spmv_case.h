/**
 * What the terms of a product are computed from.
 */
#ifndef PERFMODEL_SRC_SPMV_CASE_H
#define PERFMODEL_SRC_SPMV_CASE_H

#include "perfmodel/spmv.h"

/** A job, what its threads do, and one set of parameters. */
typedef struct modeli_case {
    const model_layout_t *layout;
    const model_counts_t *counts;
    model_parameters_t machine;
    /** Whether v4's and v5's messages travel while interior rows are computed. */
    bool overlaps;
} modeli_case_t;

#endif
