#include "perfmodel/verdict.h"

#include <math.h>

static double square(double number)
{
    return number * number;
}

model_estimate_t model_interval(const model_point_t *point)
{
    double predicted = point->seconds.predicted;
    double below = 0.0;
    double above = 0.0;
    for (int d = 0; d < MODEL_DEVIATIONS; d++) {
        below += square(fmin(point->deviations.better[d], 0.0));
        above += square(fmax(point->deviations.worse[d], 0.0));
    }
    return (model_estimate_t){
        .predicted = predicted,
        .low = predicted - sqrt(below),
        .high = predicted + sqrt(above),
    };
}

model_gap_t model_gap(const model_point_t *slower, const model_point_t *faster)
{
    double moves = 0.0;
    for (int d = 0; d < MODEL_DEVIATIONS; d++) {
        double better = slower->deviations.better[d] - faster->deviations.better[d];
        double worse = slower->deviations.worse[d] - faster->deviations.worse[d];
        moves += square(fmax(fabs(better), fabs(worse)));
    }
    double reference = faster->seconds.predicted;
    if (reference <= 0.0)
        return (model_gap_t){0.0, 0.0};
    return (model_gap_t){
        .predicted = (slower->seconds.predicted - reference) / reference,
        .spread = sqrt(moves) / reference,
    };
}

bool model_gap_counts(model_gap_t gap)
{
    return gap.predicted > MODEL_LEAST_GAIN && gap.predicted > gap.spread;
}

static bool is_faster(const model_point_t *one, const model_point_t *other)
{
    return one->seconds.predicted < other->seconds.predicted;
}

/* Of the variants that are not the fastest point's. */
static size_t find_rival(const model_point_t *points, size_t count, size_t fastest)
{
    size_t rival = fastest;
    for (size_t p = 0; p < count; p++)
        if (points[p].variant != points[fastest].variant &&
            (rival == fastest || is_faster(&points[p], &points[rival])))
            rival = p;
    return rival;
}

static bool is_better_choice(const model_point_t *one, const model_point_t *other)
{
    return one->blocksize > other->blocksize ||
           (one->blocksize == other->blocksize && is_faster(one, other));
}

model_verdict_t model_judge(const model_point_t *points, size_t count)
{
    size_t fastest = model_sweep_best(points, count);
    size_t rival = find_rival(points, count, fastest);
    model_verdict_t verdict = {
        .fastest = fastest,
        .chosen = fastest,
        .rival = rival,
        .gain = model_gap(&points[rival], &points[fastest]),
    };
    for (size_t p = 0; p < count; p++)
        if (!model_gap_counts(model_gap(&points[p], &points[fastest]))) {
            verdict.alike |= 1U << (unsigned)points[p].variant;
            if (is_better_choice(&points[p], &points[verdict.chosen]))
                verdict.chosen = p;
        }
    verdict.least = verdict.chosen;
    for (size_t p = 0; p < count; p++)
        if (points[p].variant == points[verdict.chosen].variant &&
            points[p].blocksize < points[verdict.least].blocksize &&
            !model_gap_counts(model_gap(&points[p], &points[fastest])))
            verdict.least = p;
    return verdict;
}
