/**
 * The verdict of tune, in words and as JSON.
 */
#ifndef PERFMODEL_TOOLS_ADVICE_H
#define PERFMODEL_TOOLS_ADVICE_H

#include <jansson.h>

#include "perfmodel/perfmodel.h"
#include "trial.h"

/** What to report. Owns nothing. */
typedef struct advice {
    const model_layout_t *layout;
    const model_machine_t *machine;
    const model_point_t *points;
    size_t count;
    const model_verdict_t *verdict;
    /** model_doubt_t. */
    unsigned doubts;
    /** NULL: none was given. */
    const model_accuracy_t *accuracy;
    /** The candidates that were run. */
    const trial_result_t *trials;
    /** 0: nothing. */
    size_t trial_count;
    /** The index of the choice among them. */
    size_t trial_chosen;
} advice_t;

/** Prints what was run, if anything; the choice; what cannot be told from it; what the others
 *  cost; and a line for every reason to doubt. */
void advice_print(const advice_t *advice);

/** {"variant", "blocksize", "interval" (seconds for 1000 products), "least_blocksize", "alike"
 *  (variants), "rival" ({"variant", "blocksize"}; absent where there is one variant), "gain",
 *  "gain_spread", "gain_error" (shares), "doubts" (sentences), "cannot_tell", and if candidates
 * were run "measured": by candidate {"variant", "blocksize", "predicted_seconds",
 * "measured_seconds"
 * ({"median", "min", "max"}), "chosen"}}. */
json_t *advice_json(const advice_t *advice);

/** Whether a point cannot be told from the fastest. */
bool advice_is_alike(const advice_t *advice, size_t point);

/** A point, as sweep and tune write it. */
json_t *advice_point_json(const model_point_t *point);

#endif
