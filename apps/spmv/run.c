#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/gather.h"
#include "common/large.h"
#include "common/traffic.h"
#include "support/progress.h"

static void iterate(const spmv_variant_t *variant, spmv_problem_t *problem, void *state,
                    size_t iterations, common_clock_t *clock)
{
    common_clock_start(clock);
    for (size_t i = 0; i < iterations; i++) {
        variant->step(problem, state, clock);
        spmv_problem_swap(problem);
    }
    pgas_barrier(); /* the time includes what others still compute */
    common_clock_book(clock, SPMV_BARRIER);
}

static bool traffic_is(const spmv_traffic_t *counted, const spmv_traffic_t *predicted, size_t times)
{
    for (int place = 0; place < PGAS_PLACES; place++)
        for (int mode = 0; mode < PGAS_MODES; mode++)
            for (int direction = 0; direction < PGAS_DIRECTIONS; direction++) {
                const pgas_traffic_t *c = &counted->traffic[place][mode][direction];
                const pgas_traffic_t *p = &predicted->traffic[place][mode][direction];
                if (c->operations != p->operations * times || c->bytes != p->bytes * times)
                    return false;
            }
    return true;
}

/* One repetition: returns its seconds. */
static double repeat(const spmv_variant_t *variant, spmv_problem_t *problem, void *state,
                     size_t iterations, common_clock_t *clock)
{
    spmv_problem_start(problem);
    pgas_stats_reset();
    pgas_barrier();
    double start = common_seconds();
    iterate(variant, problem, state, iterations, clock);
    return common_seconds() - start;
}

static void measure(const spmv_variant_t *variant, spmv_problem_t *problem, void *state,
                    const spmv_settings_t *settings, const spmv_traffic_t *predicted,
                    spmv_thread_result_t *mine, common_spread_t *seconds_per_1000)
{
    common_clock_t clock = {.last = 0.0};
    spmv_traffic_t counted;
    double *seconds = common_alloc("times", settings->repetitions, sizeof *seconds);
    progress_begin(variant->name, settings->repetitions);
    for (size_t r = 0; r < settings->repetitions; r++) {
        seconds[r] = repeat(variant, problem, state, settings->iterations, &clock) * 1000.0 /
                     (double)settings->iterations;
        pgas_stats_get(&counted);
        common_traffic_add(&mine->traffic, &counted, 1);
        if (!traffic_is(&counted, predicted, settings->iterations))
            mine->traffic_as_predicted = false;
        if (pgas_mythread() == 0)
            progress_update(r + 1);
    }
    progress_end();
    for (int part = 0; part < SPMV_PARTS; part++)
        mine->part_seconds[part] =
            clock.seconds[part] / (double)(settings->iterations * settings->repetitions);
    *seconds_per_1000 = common_spread(seconds, settings->repetitions);
    free(seconds);
}

/* Gathers the results of all threads. */
static void gather(const spmv_thread_result_t *mine, spmv_result_t *result)
{
    result->threads = common_gather(mine, sizeof *mine);
    result->traffic_as_predicted = true;
    result->storage.product = mine->storage.product;
    for (int t = 0; t < pgas_threads(); t++) {
        const spmv_storage_t *storage = &result->threads[t].storage;
        result->traffic_as_predicted &= result->threads[t].traffic_as_predicted;
        result->storage.entries += storage->entries;
        result->storage.nonzeros += storage->nonzeros;
        result->storage.bytes += storage->bytes;
    }
}

/* Compares the last step. Where values have overflowed, computes and compares the products from the
 * start once more instead: after all repetitions the variant must still be right. */
static void check_end(const spmv_variant_t *variant, spmv_problem_t *problem, void *state,
                      const spmv_settings_t *settings, spmv_check_t *check, spmv_result_t *result)
{
    common_clock_t clock = {.last = 0.0};
    spmv_verdict_t verdict = spmv_check_last_step(check, problem, settings->iterations);
    result->overflow = verdict.overflow;
    if (verdict.overflow > 0) {
        spmv_problem_start(problem);
        iterate(variant, problem, state, spmv_check_products(check), &clock);
        verdict = spmv_check_from_start(check, problem);
    }
    result->error = fmax(result->error, verdict.error);
}

static void keep_values(const spmv_problem_t *problem, spmv_result_t *result)
{
    if (pgas_mythread() == 0) {
        result->values = common_alloc("result", problem->n, sizeof(double));
        spmv_problem_gather(problem, problem->x, result->values);
    }
    pgas_barrier();
}

void spmv_run(const spmv_variant_t *variant, spmv_problem_t *problem, const spmv_counts_t *counts,
              const spmv_settings_t *settings, spmv_check_t *check, spmv_result_t *result)
{
    spmv_traffic_t predicted = variant->traffic(problem, counts);
    spmv_thread_result_t mine = {.traffic_as_predicted = true};
    bool checked = check != NULL;
    *result = (spmv_result_t){.variant = variant->name, .checked = checked};
    result->compared = checked ? spmv_check_products(check) : SPMV_CHECK_PRODUCTS;
    spmv_problem_start(problem);
    double start = common_seconds();
    void *state = variant->prepare(problem);
    pgas_barrier();
    result->prepare_seconds = common_seconds() - start;

    common_clock_t warm_up = {.last = 0.0};
    iterate(variant, problem, state, result->compared, &warm_up);
    if (checked)
        result->error = spmv_check_from_start(check, problem).error;
    measure(variant, problem, state, settings, &predicted, &mine, &result->seconds_per_1000);
    if (settings->keeps_values)
        keep_values(problem, result);
    if (checked)
        check_end(variant, problem, state, settings, check, result);
    if (variant->describe != NULL)
        variant->describe(state, &mine.storage);
    variant->release(state);
    gather(&mine, result);
}

bool spmv_result_passed(const spmv_result_t *result)
{
    return !result->checked || (result->error <= SPMV_CHECK_LIMIT && result->traffic_as_predicted);
}
