/**
 * What the two kinds of comparison share.
 */
#ifndef PERFMODEL_TOOLS_COMPARE_H
#define PERFMODEL_TOOLS_COMPARE_H

#include "command.h"

/** What is compared. */
typedef struct compare {
    const command_options_t *options;
    const char *path;
    const json_t *run;
} compare_t;

/** Compares a run of fathom-spmv; returns the JSON. `matrix` is NULL or the file to count again;
 *  ends the process unless its counts are the run's. */
json_t *compare_spmv(const compare_t *compare, const char *matrix);

/** Compares a run of fathom-heat2d; returns the JSON. */
json_t *compare_heat(const compare_t *compare);

/** {"median", "min", "max"}. */
json_t *compare_spread_json(const model_spread_t *spread);

/** The layout of a run of `count` threads, each an object with a "node" in `threads`. They must be
 *  on the nodes where model_layout_make places them. */
void compare_layout(const compare_t *compare, size_t rows, size_t row_nonzeros, size_t blocksize,
                    size_t count, const json_t *threads, model_layout_t *layout);

#endif
