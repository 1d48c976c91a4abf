/**
 * What predictions justify: which candidates can be told apart, and which to choose among those
 * that cannot.
 *
 * The parameters of a machine file have a spread, and a prediction inherits it. Two candidates on
 * one machine share their parameters: a memory that turns out slower makes both slower. What counts
 * is therefore how far their difference closes as each parameter goes from its median to that end
 * which closes it more; a parameter that only widens it leaves no doubt which one is faster. The
 * parameters are taken to be independent, so these changes add up as squares. Errors of the model
 * itself have no part in the choice, but where they are known from runs, candidates of two variants
 * are told apart only if their difference exceeds these errors, too.
 */
#ifndef PERFMODEL_VERDICT_H
#define PERFMODEL_VERDICT_H

#include "perfmodel/tune.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Two candidates whose predicted times differ by less than this share are not told apart, however
 *  small the spread. It is half of the 5 % within which a choice counts as good; the other half is
 *  left for the model's own errors. */
#define MODEL_LEAST_GAIN 0.025

/** How far the predicted ratio of two variants' times was from the measured one, in the median of
 *  runs with the same BLOCKSIZE; shares. 0: not known, or the same variant. Symmetric. */
typedef struct model_pair_errors {
    double of[MODEL_VARIANTS][MODEL_VARIANTS];
} model_pair_errors_t;

/** A difference of two predictions, as a share of the faster one's time. */
typedef struct {
    /** From the medians; not negative. */
    double predicted;
    /** By how much the parameters' spread may close it; what widens it does not count. */
    double spread;
    /** The model's own error in the ratio of the two variants. */
    double error;
} model_gap_t;

/** The verdict on a sweep. Indexes are those of its points. */
typedef struct model_verdict {
    /** The point with the least predicted time. */
    size_t fastest;
    /** Among the points that cannot be told from it by the spread alone, the fastest of those with
     *  the largest BLOCKSIZE: what predictions are for is the best guess. */
    size_t chosen;
    /** The point of the chosen variant with the smallest BLOCKSIZE that cannot be told from the
     *  fastest, likewise. */
    size_t least;
    /** Bit v: variant v has a point that cannot be told from the fastest, by the spread and the
     *  model's errors. */
    unsigned alike;
    /** The fastest point of all variants but the fastest point's own and its twins, which with the
     *  same BLOCKSIZE take the same time whatever the parameters, as v5 and v4 do on one node: of
     *  those that cannot be told from it, if there are any. The fastest point itself if there is
     *  no other variant. */
    size_t rival;
    /** What the fastest point gains over the rival. */
    model_gap_t gain;
} model_verdict_t;

/** The interval that the spread gives a point's prediction, in seconds per product: each parameter
 *  alone is moved to its ends, and the changes are added as squares. */
model_estimate_t model_interval(const model_point_t *point);

/** The difference between a point and a faster one. `errors` may be NULL: not known. */
model_gap_t model_gap(const model_point_t *slower, const model_point_t *faster,
                      const model_pair_errors_t *errors);

/** Whether a difference exceeds both MODEL_LEAST_GAIN and its spread and error, which are
 *  independent and add up as squares. */
bool model_gap_counts(model_gap_t gap);

/** Judges `count` points, at least one, of one machine, matrix and job. `errors` may be NULL. */
model_verdict_t model_judge(const model_point_t *points, size_t count,
                            const model_pair_errors_t *errors);

/**
 * The candidates worth running: the verdict's choice; then, fastest first, the own choice of every
 * other variant but its twins; then the other points, fastest first.
 *
 * @param count of points.
 * @param list  receives indexes of points, without duplicates.
 * @param room  how many are wanted.
 * @return how many it received: `room`, or `count` if that is less.
 */
size_t model_shortlist(const model_point_t *points, size_t count, size_t *list, size_t room);

/**
 * Chooses by measured times, in seconds per product: among the points within MODEL_LEAST_GAIN of
 * the fastest, the fastest of those with the largest BLOCKSIZE.
 *
 * @param list     indexes of points.
 * @param measured their times.
 * @param count    of them, at least one.
 * @return an index into the list.
 */
size_t model_choose_measured(const model_point_t *points, const size_t *list,
                             const double *measured, size_t count);

#ifdef __cplusplus
}
#endif
#endif
