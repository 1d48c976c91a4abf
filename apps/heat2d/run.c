#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "checkpoint.h"
#include "common/gather.h"
#include "common/large.h"
#include "common/traffic.h"
#include "picture.h"
#include "sections.h"
#include "support/progress.h"

/* A form at work. */
typedef struct runner {
    const heat_form_t *form;
    void *state;
    heat_problem_t *problem;
    heat_sweeper_t sweeper;
    common_clock_t clock;
    size_t exchanges;
    size_t first_step;
} runner_t;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Advances the field to step `end`. */
static void advance_to(runner_t *runner, size_t end)
{
    heat_problem_t *problem = runner->problem;
    common_clock_start(&runner->clock);
    while (problem->step < end) {
        size_t steps = smaller(problem->shape.depth, end - problem->step);
        runner->form->advance(&runner->sweeper, runner->state, steps, &runner->clock);
        problem->now = (int)((size_t)problem->now + steps) % 2;
        problem->step += steps;
        runner->exchanges++;
        if (pgas_mythread() == 0)
            progress_update(problem->step);
        /* Code and data of the above come from memory after a step: no part of the next halo. */
        common_clock_book(&runner->clock, HEAT_COMPUTE);
    }
    pgas_barrier(); /* the time includes what others still compute */
    common_clock_book(&runner->clock, HEAT_BARRIER);
}

/* The end of the stretch that begins at `step`: a checkpoint, or the last step. */
static size_t stretch_end(const heat_settings_t *settings, size_t step)
{
    if (settings->checkpoint == NULL)
        return settings->iterations;
    size_t every = settings->checkpoint_every;
    return smaller(settings->iterations, (step / every + 1) * every);
}

/* One repetition: returns its seconds without checkpoints, and adds the counted traffic. */
static double repeat(runner_t *runner, const heat_settings_t *settings, pgas_stats_t *counted)
{
    heat_problem_t *problem = runner->problem;
    double seconds = 0.0;
    heat_problem_start(problem, settings->start);
    if (settings->restart != NULL)
        heat_restart_read(settings->restart, problem);
    runner->first_step = problem->step;
    if (settings->checkpoint != NULL && problem->step == settings->iterations)
        heat_checkpoint_write(settings->checkpoint, problem);
    while (problem->step < settings->iterations) {
        size_t end = stretch_end(settings, problem->step);
        pgas_stats_t stretch;
        pgas_stats_reset();
        pgas_barrier();
        double start = common_seconds();
        advance_to(runner, end);
        seconds += common_seconds() - start;
        pgas_stats_get(&stretch);
        common_traffic_add(counted, &stretch, 1);
        if (settings->checkpoint != NULL)
            heat_checkpoint_write(settings->checkpoint, problem);
    }
    return seconds;
}

/* What one repetition took. */
typedef struct times {
    double total;
    double parts[HEAT_PARTS];
} times_t;

static common_spread_t spread_of(const double *first, size_t repetitions)
{
    double *values = common_alloc("times", repetitions, sizeof *values);
    for (size_t r = 0; r < repetitions; r++)
        values[r] = first[r * (sizeof(times_t) / sizeof(double))];
    common_spread_t spread = common_spread(values, repetitions);
    free(values);
    return spread;
}

/* Takes the slowest thread of each repetition, and the spread over the repetitions. */
static void combine_times(times_t *times, size_t repetitions, heat_result_t *result)
{
    pgas_allreduce(PGAS_TEAM_ALL, times, times, repetitions * (sizeof *times / sizeof(double)),
                   PGAS_DOUBLE, PGAS_MAX);
    result->total = spread_of(&times->total, repetitions);
    for (int part = 0; part < HEAT_PARTS; part++)
        result->parts[part] = spread_of(&times->parts[part], repetitions);
}

static void measure(runner_t *runner, const heat_settings_t *settings, heat_thread_result_t *mine,
                    heat_result_t *result)
{
    pgas_stats_t exchange =
        heat_traffic(runner->problem, runner->form->mode, runner->form->direction);
    size_t repetitions = settings->repetitions;
    times_t *times = common_alloc("times", repetitions, sizeof *times);
    mine->traffic_as_predicted = true;
    for (size_t r = 0; r < repetitions; r++) {
        pgas_stats_t counted = {0};
        pgas_stats_t predicted = {0};
        runner->clock = (common_clock_t){.last = 0.0};
        runner->exchanges = 0;
        times[r].total = repeat(runner, settings, &counted);
        memcpy(times[r].parts, runner->clock.seconds, sizeof times[r].parts);
        common_traffic_add(&mine->traffic, &counted, 1);
        common_traffic_add(&predicted, &exchange, runner->exchanges);
        if (memcmp(&counted, &predicted, sizeof counted) != 0)
            mine->traffic_as_predicted = false;
        for (int part = 0; part < HEAT_PARTS; part++)
            mine->part_seconds[part] += times[r].parts[part] / (double)repetitions;
    }
    result->exchanges = runner->exchanges;
    result->first_step = runner->first_step;
    result->steps = settings->iterations - runner->first_step;
    combine_times(times, repetitions, result);
    free(times);
}

/* Makes connections and touches pages before anything is measured. */
static void warm_up(runner_t *runner, const heat_settings_t *settings)
{
    heat_problem_start(runner->problem, settings->start);
    advance_to(runner, smaller(settings->iterations, 2 * runner->problem->shape.depth));
}

/* If the field is not a sine mode, starts one for its check. */
static void check(runner_t *runner, const heat_settings_t *settings, heat_result_t *result)
{
    heat_problem_t *problem = runner->problem;
    result->differing = heat_check_differing(problem);
    result->mode_limit = heat_check_mode_limit(settings->iterations);
    if (settings->start != HEAT_SINE) {
        progress_begin("check of a sine mode", settings->iterations);
        heat_problem_start(problem, HEAT_SINE);
        advance_to(runner, settings->iterations);
        progress_end();
    }
    heat_mode_errors_t errors = heat_check_mode(problem);
    result->mode_error = errors.scheme;
    result->solution_error = errors.solution;
}

static void gather(heat_thread_result_t *mine, heat_result_t *result)
{
    for (int part = 0; part < HEAT_PARTS; part++)
        mine->part_seconds[part] /= result->steps > 0 ? (double)result->steps : 1.0;
    result->threads = common_gather(mine, sizeof *mine);
    result->traffic_as_predicted = true;
    for (int t = 0; t < pgas_threads(); t++)
        result->traffic_as_predicted &= result->threads[t].traffic_as_predicted;
}

void heat_run(const heat_form_t *form, heat_problem_t *problem, const heat_settings_t *settings,
              heat_result_t *result)
{
    runner_t runner = {.form = form, .state = form->prepare(problem), .problem = problem};
    heat_thread_result_t mine = {.block = problem->mine};
    heat_sweeper_init(problem, settings->stores, &runner.sweeper);
    *result = (heat_result_t){
        .checked = settings->checked,
        .streams = heat_sweeper_streams(&runner.sweeper),
    };
    if (pgas_mythread() == 0)
        progress_begin("fathom-heat2d", settings->iterations);
    warm_up(&runner, settings);
    measure(&runner, settings, &mine, result);
    progress_end();
    if (settings->picture != NULL)
        heat_picture_write(settings->picture, problem);
    if (settings->checked)
        check(&runner, settings, result);
    gather(&mine, result);
    form->release(runner.state);
}

bool heat_result_passed(const heat_result_t *result)
{
    return !result->checked ||
           (result->differing == 0 && result->mode_error <= result->mode_limit &&
            result->traffic_as_predicted);
}
