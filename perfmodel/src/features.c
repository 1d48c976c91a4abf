#include "perfmodel/features.h"

static const char *const feature_names[MODEL_FEATURES] = {
    [MODEL_FEATURE_ROW_NONZEROS] = "row_nonzeros",
    [MODEL_FEATURE_THREAD_ROWS] = "rows_per_thread",
    [MODEL_FEATURE_ROW_LINES] = "lines_out_of_order_per_row",
    [MODEL_FEATURE_THREADS] = "threads",
    [MODEL_FEATURE_NODES] = "nodes",
};

const char *model_feature_name(model_feature_t feature)
{
    return feature_names[feature];
}

void model_features(const model_layout_t *layout, const model_counts_t *counts,
                    double features[MODEL_FEATURES])
{
    double lines = 0.0;
    for (size_t t = 0; t < layout->threads; t++)
        for (int place = 0; place < MODEL_PLACES; place++)
            lines += (double)counts[t].x_lines[place];
    features[MODEL_FEATURE_ROW_NONZEROS] = (double)layout->row_nonzeros;
    features[MODEL_FEATURE_THREAD_ROWS] = (double)layout->rows / (double)layout->threads;
    features[MODEL_FEATURE_ROW_LINES] = lines / (double)layout->rows;
    features[MODEL_FEATURE_THREADS] = (double)layout->threads;
    features[MODEL_FEATURE_NODES] = (double)layout->nodes;
}
