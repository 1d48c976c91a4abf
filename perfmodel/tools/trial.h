/**
 * Runs candidates: fathom-spmv under a launcher.
 */
#ifndef PERFMODEL_TOOLS_TRIAL_H
#define PERFMODEL_TOOLS_TRIAL_H

#include "perfmodel/perfmodel.h"

/** What to run. Owns nothing. */
typedef struct trial {
    const char *matrix;
    /** The command that starts a job, split into words as by a shell, with {threads} and {nodes}
     *  replaced; NULL: the fathom-run beside this program. */
    const char *launcher;
    const model_layout_t *layout;
} trial_t;

/** What a candidate took. */
typedef struct trial_result {
    /** Its index. */
    size_t point;
    /** Of a product: the median over the rounds. */
    double seconds;
    double least;
    double most;
} trial_result_t;

/**
 * Runs the candidates alternately, in both orders, so that drift of the machine affects all of
 * them. What is running, and its files, are known to mesh_temporaries_remove.
 *
 * @param points  the sweep's.
 * @param list    indexes of points, `count` of them.
 * @param results receives `count` results, in the order of the list.
 * @param error   receives the reason when the result is false: an invalid launcher, or a failed run
 *                with the last line of its output.
 */
bool trial_run(const trial_t *trial, const model_point_t *points, const size_t *list, size_t count,
               trial_result_t *results, mesh_error_t *error);

#endif
