/**
 * Running candidates: fathom-spmv under a launcher.
 */
#ifndef PERFMODEL_TOOLS_TRIAL_H
#define PERFMODEL_TOOLS_TRIAL_H

#include "perfmodel/perfmodel.h"

/** What is run. Nothing is owned. */
typedef struct trial {
    const char *matrix;
    /** What starts a job, words as of a shell, with {threads} and {nodes} replaced; NULL: the
     *  fathom-run beside this program. */
    const char *launcher;
    const model_layout_t *layout;
} trial_t;

/** What a candidate took. */
typedef struct trial_result {
    /** Its index. */
    size_t point;
    /** Of a product: the median over the turns. */
    double seconds;
    double least;
    double most;
} trial_result_t;

/**
 * Runs candidates by turns, forth and back, so that a machine that drifts does so under all of
 * them.
 *
 * @param points  the sweep's.
 * @param list    indexes of points, `count` of them.
 * @param results receives as many, in the order of the list.
 * @param error   receives the reason when the result is false: a launcher that makes no sense, or a
 *                run that failed, with the last line that it said.
 */
bool trial_run(const trial_t *trial, const model_point_t *points, const size_t *list, size_t count,
               trial_result_t *results, mesh_error_t *error);

#endif
