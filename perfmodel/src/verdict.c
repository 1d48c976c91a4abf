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

model_gap_t model_gap(const model_point_t *slower, const model_point_t *faster,
                      const model_pair_errors_t *errors)
{
    double closing = 0.0;
    for (int d = 0; d < MODEL_DEVIATIONS; d++) {
        double better = slower->deviations.better[d] - faster->deviations.better[d];
        double worse = slower->deviations.worse[d] - faster->deviations.worse[d];
        closing += square(fmin(fmin(better, worse), 0.0));
    }
    double reference = faster->seconds.predicted;
    if (reference <= 0.0)
        return (model_gap_t){0.0, 0.0, 0.0};
    return (model_gap_t){
        .predicted = (slower->seconds.predicted - reference) / reference,
        .spread = sqrt(closing) / reference,
        .error = errors != NULL ? errors->of[slower->variant][faster->variant] : 0.0,
    };
}

bool model_gap_counts(model_gap_t gap)
{
    return gap.predicted > MODEL_LEAST_GAIN && gap.predicted > hypot(gap.spread, gap.error);
}

static bool is_faster(const model_point_t *one, const model_point_t *other)
{
    return one->seconds.predicted < other->seconds.predicted;
}

/* Whether two points take the same time, whatever the parameters. */
static bool moves_alike(const model_point_t *one, const model_point_t *other)
{
    double nothing = 1e-9 * other->seconds.predicted;
    bool is_alike = fabs(one->seconds.predicted - other->seconds.predicted) <= nothing;
    for (int d = 0; d < MODEL_DEVIATIONS; d++)
        is_alike = is_alike &&
                   fabs(one->deviations.better[d] - other->deviations.better[d]) <= nothing &&
                   fabs(one->deviations.worse[d] - other->deviations.worse[d]) <= nothing;
    return is_alike;
}

/* Whether a variant's point of the same BLOCKSIZE takes the same time, whatever the parameters: it
 * does the same there, as v5 does what v4 does on one node. */
static bool is_twin(const model_point_t *points, size_t count, size_t point,
                    model_variant_t variant)
{
    for (size_t p = 0; p < count; p++)
        if (points[p].variant == variant && points[p].blocksize == points[point].blocksize &&
            moves_alike(&points[p], &points[point]))
            return true;
    return false;
}

/* The fastest point of all variants but the fastest point's own and its twins; first those that
 * cannot be told from it. */
static size_t find_rival(const model_point_t *points, size_t count, size_t fastest,
                         const model_pair_errors_t *errors)
{
    size_t rival = fastest;
    bool rival_counts = true;
    for (size_t p = 0; p < count; p++) {
        bool counts = model_gap_counts(model_gap(&points[p], &points[fastest], errors));
        if (!is_twin(points, count, fastest, points[p].variant) &&
            (rival == fastest || counts < rival_counts ||
             (counts == rival_counts && is_faster(&points[p], &points[rival])))) {
            rival = p;
            rival_counts = counts;
        }
    }
    return rival;
}

static bool is_better_choice(const model_point_t *one, const model_point_t *other)
{
    return one->blocksize > other->blocksize ||
           (one->blocksize == other->blocksize && is_faster(one, other));
}

/* Whether a point can be told from a faster one by the parameters' spread. */
static bool is_apart(const model_point_t *slower, const model_point_t *faster)
{
    return model_gap_counts(model_gap(slower, faster, NULL));
}

model_verdict_t model_judge(const model_point_t *points, size_t count,
                            const model_pair_errors_t *errors)
{
    size_t fastest = model_sweep_best(points, count);
    size_t rival = find_rival(points, count, fastest, errors);
    model_verdict_t verdict = {
        .fastest = fastest,
        .chosen = fastest,
        .rival = rival,
        .gain = model_gap(&points[rival], &points[fastest], errors),
    };
    for (size_t p = 0; p < count; p++)
        if (!model_gap_counts(model_gap(&points[p], &points[fastest], errors))) {
            verdict.alike |= 1U << (unsigned)points[p].variant;
            if (!is_apart(&points[p], &points[fastest]) &&
                is_better_choice(&points[p], &points[verdict.chosen]))
                verdict.chosen = p;
        }
    verdict.least = verdict.chosen;
    for (size_t p = 0; p < count; p++)
        if (points[p].variant == points[verdict.chosen].variant &&
            points[p].blocksize < points[verdict.least].blocksize &&
            !is_apart(&points[p], &points[fastest]))
            verdict.least = p;
    return verdict;
}

/* The choice among the points of one variant; `count` if there are none. */
static size_t choice_of(const model_point_t *points, size_t count, model_variant_t variant)
{
    size_t fastest = count;
    for (size_t p = 0; p < count; p++)
        if (points[p].variant == variant &&
            (fastest == count || is_faster(&points[p], &points[fastest])))
            fastest = p;
    size_t chosen = fastest;
    for (size_t p = 0; p < count; p++)
        if (points[p].variant == variant && !is_apart(&points[p], &points[fastest]) &&
            is_better_choice(&points[p], &points[chosen]))
            chosen = p;
    return chosen;
}

static bool is_listed(const size_t *list, size_t length, size_t point)
{
    for (size_t l = 0; l < length; l++)
        if (list[l] == point)
            return true;
    return false;
}

/* The fastest point that is not yet listed and, if `firsts` is given, is one of those. */
static size_t next_of(const model_point_t *points, size_t count, const size_t *firsts,
                      const size_t *list, size_t length)
{
    size_t next = count;
    for (size_t p = 0; p < count; p++)
        if (!is_listed(list, length, p) &&
            (firsts == NULL || is_listed(firsts, MODEL_VARIANTS, p)) &&
            (next == count || is_faster(&points[p], &points[next])))
            next = p;
    return next;
}

size_t model_shortlist(const model_point_t *points, size_t count, size_t *list, size_t room)
{
    size_t firsts[MODEL_VARIANTS];
    size_t length = 0;
    if (room == 0 || count == 0)
        return 0;
    list[length++] = model_judge(points, count, NULL).chosen;
    for (int v = 0; v < MODEL_VARIANTS; v++)
        firsts[v] = is_twin(points, count, list[0], (model_variant_t)v)
                        ? list[0]
                        : choice_of(points, count, (model_variant_t)v);
    while (length < room && length < count) {
        size_t next = next_of(points, count, firsts, list, length);
        if (next == count)
            next = next_of(points, count, NULL, list, length);
        list[length++] = next;
    }
    return length;
}

size_t model_choose_measured(const model_point_t *points, const size_t *list,
                             const double *measured, size_t count)
{
    size_t fastest = 0;
    for (size_t l = 1; l < count; l++)
        if (measured[l] < measured[fastest])
            fastest = l;
    size_t chosen = fastest;
    for (size_t l = 0; l < count; l++) {
        size_t blocksize = points[list[l]].blocksize;
        size_t largest = points[list[chosen]].blocksize;
        bool is_alike = measured[l] <= measured[fastest] * (1.0 + MODEL_LEAST_GAIN);
        if (is_alike &&
            (blocksize > largest || (blocksize == largest && measured[l] < measured[chosen])))
            chosen = l;
    }
    return chosen;
}
