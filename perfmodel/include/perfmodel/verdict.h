/**
 * What predictions allow to be said: which candidates can be told apart, and which of those that
 * cannot is to be taken.
 *
 * The parameters of a machine file have a spread, and a prediction inherits it. Two candidates on
 * one machine share their parameters, so that a memory that turns out slower makes both slower.
 * What counts is therefore how their difference moves, parameter by parameter, from each one's
 * median to its ends; the parameters are taken to be independent, so that these moves add up as
 * squares. Nothing here knows how wrong the model itself is.
 */
#ifndef PERFMODEL_VERDICT_H
#define PERFMODEL_VERDICT_H

#include "perfmodel/tune.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Two candidates whose predicted times differ by less than this share are not told apart, however
 *  small the spread: half of the 5 % within which a choice counts as good, the other half being
 *  left to the model's own errors. */
#define MODEL_LEAST_GAIN 0.025

/** A difference of two predictions, as a share of the faster one's time. */
typedef struct model_gap {
    /** From the medians; not negative. */
    double predicted;
    /** By how much the parameters' spread may move it, up or down. */
    double spread;
} model_gap_t;

/** The verdict on a sweep. Indexes are those of its points. */
typedef struct model_verdict {
    /** The point with the least predicted time. */
    size_t fastest;
    /** Of the points that cannot be told from it, of those with the largest BLOCKSIZE, the
     * fastest. */
    size_t chosen;
    /** Of the points of the chosen variant that cannot be told from the fastest, the one with
     * the smallest BLOCKSIZE. */
    size_t least;
    /** Bit v: variant v has a point that cannot be told from the fastest. */
    unsigned alike;
    /** Of the variants that are not the fastest point's, the fastest point; the fastest point
     * where there is no other variant. */
    size_t rival;
    /** What the fastest point gains over the rival. */
    model_gap_t gain;
} model_verdict_t;

/** The interval that the spread gives a point's prediction, seconds of a product: each parameter
 *  alone moved to its ends, the moves added as squares. */
model_estimate_t model_interval(const model_point_t *point);

/** The difference between a point and a faster one. */
model_gap_t model_gap(const model_point_t *slower, const model_point_t *faster);

/** Whether a difference is more than MODEL_LEAST_GAIN and than its spread. */
bool model_gap_counts(model_gap_t gap);

/** Judges `count` points, at least one, of one machine, matrix and job. */
model_verdict_t model_judge(const model_point_t *points, size_t count);

/**
 * The candidates that are worth running: the verdict's choice; then, fastest first, every other
 * variant's own choice; then the other points, fastest first.
 *
 * @param count of points.
 * @param list  receives indexes of points, each once.
 * @param room  how many are wanted.
 * @return how many there are: `room`, or `count` if that is less.
 */
size_t model_shortlist(const model_point_t *points, size_t count, size_t *list, size_t room);

/**
 * Chooses by measured times, seconds of a product: of the points that are within MODEL_LEAST_GAIN
 * of the fastest the one with the largest BLOCKSIZE, and of these the fastest.
 *
 * @param list     indexes of points.
 * @param measured their times.
 * @param count    of them, at least one.
 * @return a place in the list.
 */
size_t model_choose_measured(const model_point_t *points, const size_t *list,
                             const double *measured, size_t count);

#ifdef __cplusplus
}
#endif
#endif
