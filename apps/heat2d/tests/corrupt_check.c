/* Each run has one error, which the check must find; exits 1 if it misses one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "run.h"

/* The form that is corrupted. */
static const heat_form_t *const sound = &heat_signal;

static void advance_soundly(const heat_sweeper_t *sweeper, void *state, size_t steps,
                            common_clock_t *clock)
{
    sound->advance(sweeper, state, steps, clock);
}

/* Flips the last bit of one value of the last thread. */
static void advance_flipping(const heat_sweeper_t *sweeper, void *state, size_t steps,
                             common_clock_t *clock)
{
    heat_problem_t *problem = sweeper->problem;
    sound->advance(sweeper, state, steps, clock);
    if (pgas_mythread() != pgas_threads() - 1 ||
        problem->step != 8) /* the last exchange: no step rounds it away */
        return;
    uint64_t bits;
    double *value = problem->field[((size_t)problem->now + steps) % 2];
    memcpy(&bits, value, sizeof bits);
    bits ^= 1;
    memcpy(value, &bits, sizeof bits);
}

/* Sets a value to NaN. */
static void advance_to_nan(const heat_sweeper_t *sweeper, void *state, size_t steps,
                           common_clock_t *clock)
{
    heat_problem_t *problem = sweeper->problem;
    sound->advance(sweeper, state, steps, clock);
    problem->field[((size_t)problem->now + steps) % 2][0] = 0.0 / (double)(pgas_mythread() * 0);
}

/* A step with values that are a little too large: the sequential solver has the same coefficients
 * and would not notice. */
static void advance_too_far(const heat_sweeper_t *sweeper, void *state, size_t steps,
                            common_clock_t *clock)
{
    heat_problem_t *problem = sweeper->problem;
    if (problem->start == HEAT_SINE)
        problem->coefficients.dx2i *= 1.0 + 1e-9;
    sound->advance(sweeper, state, steps, clock);
}

/* Reads a byte more than the halo, once. */
static void advance_chatting(const heat_sweeper_t *sweeper, void *state, size_t steps,
                             common_clock_t *clock)
{
    char byte;
    sound->advance(sweeper, state, steps, clock);
    if (sweeper->problem->step == 2 && pgas_mythread() == 0)
        pgas_memget(&byte, sweeper->problem->level[0], sizeof byte);
}

typedef void advance_t(const heat_sweeper_t *, void *, size_t, common_clock_t *);

/* What thread 0 has counted in the last run. */
static pgas_stats_t counted;

/* The seconds of the thread that has computed longest in it. */
static double longest;

static heat_result_t run(advance_t *advance)
{
    const heat_shape_t shape = {.M = 20, .N = 31, .P = 1, .Q = (size_t)pgas_threads(), .depth = 2};
    const heat_settings_t settings = {.iterations = 9, .repetitions = 1, .checked = true};
    heat_form_t form = *sound;
    form.advance = advance;
    heat_problem_t problem;
    heat_result_t result;
    heat_problem_create(&shape, &problem);
    heat_run(&form, &problem, &settings, &result);
    heat_problem_free(&problem);
    counted = result.threads[0].traffic;
    longest = 0.0;
    for (int t = 0; t < pgas_threads(); t++)
        longest =
            fmax(longest, result.threads[t].part_seconds[HEAT_COMPUTE] * (double)result.steps);
    free(result.threads);
    return result;
}

/* Whether JSON has these numbers of operations and bytes, for the first kind of traffic. */
static bool json_has(const pgas_stats_t *stats, uint64_t times, double operations, double bytes)
{
    json_t *json = common_traffic_to_json(stats, times);
    const json_t *entry = json_array_get(json, 0);
    bool has = json_number_value(json_object_get(entry, "operations")) == operations &&
               json_number_value(json_object_get(entry, "bytes")) == bytes;
    json_decref(json);
    return has;
}

static void expect(const char *what, bool found)
{
    if (pgas_mythread() == 0 && !found)
        pgas_fail(1, "the check does not find %s", what);
}

int main(void)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    heat_result_t result = run(advance_soundly);
    expect("that all is well", heat_result_passed(&result));
    expect("the slowest thread", fabs(result.parts[HEAT_COMPUTE].median / longest - 1.0) < 1e-9);
    result = run(advance_flipping);
    expect("a flipped bit", result.differing > 0 && !heat_result_passed(&result));
    result = run(advance_to_nan);
    expect("what is no number", result.differing > 0 && result.mode_error > 1.0);
    result = run(advance_too_far);
    expect("a wrong coefficient",
           result.mode_error > result.mode_limit && !heat_result_passed(&result));
    result = run(advance_chatting);
    expect("uncalled-for traffic", !result.traffic_as_predicted && !heat_result_passed(&result));
    const pgas_traffic_t *byte = &counted.traffic[PGAS_OWN][PGAS_CONTIGUOUS][PGAS_FROM];
    expect("what that traffic was", byte->operations == 1 && byte->bytes == 1);
    pgas_stats_t alone = {.traffic[PGAS_OWN][PGAS_CONTIGUOUS][PGAS_FROM] = {6, 27}};
    expect("how much it is of one exchange",
           json_has(&alone, 3, 2, 9) && json_has(&alone, 2, 3, 13.5) && json_has(&alone, 0, 6, 27));
    pgas_finalize();
    return 0;
}
