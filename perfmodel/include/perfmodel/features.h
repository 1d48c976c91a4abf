/**
 * A few numbers that characterise a product.
 */
#ifndef PERFMODEL_FEATURES_H
#define PERFMODEL_FEATURES_H

#include "perfmodel/counts.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What characterises a product for the model: the features by which an accuracy file states what
 *  it covers. */
typedef enum model_feature {
    /** Off-diagonals per row. */
    MODEL_FEATURE_ROW_NONZEROS = 0,
    /** Rows per thread, mean. */
    MODEL_FEATURE_THREAD_ROWS,
    /** Lines of x out of order per row, mean. */
    MODEL_FEATURE_ROW_LINES,
    MODEL_FEATURE_THREADS,
    MODEL_FEATURE_NODES,
    MODEL_FEATURES
} model_feature_t;

/** The name of a feature in an accuracy file. */
const char *model_feature_name(model_feature_t feature);

/** The features of a layout and its counts. */
void model_features(const model_layout_t *layout, const model_counts_t *counts,
                    double features[MODEL_FEATURES]);

#ifdef __cplusplus
}
#endif
#endif
