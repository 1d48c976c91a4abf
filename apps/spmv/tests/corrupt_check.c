/* The check finds a single wrong value, and traffic that the matrix does not ask for: a result
 * corrupted on purpose must fail. */
#include <math.h>
#include <pgas/pgas.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "problem.h"
#include "run.h"
#include "variant.h"

static void expect(bool condition, const char *what)
{
    if (!condition)
        pgas_fail(1, "corrupt_check: %s", what);
}

static void run_steps(spmv_problem_t *problem, const spmv_variant_t *variant, size_t steps)
{
    common_clock_t clock = {.last = 0.0};
    spmv_problem_start(problem);
    void *state = variant->prepare(problem);
    for (size_t i = 0; i < steps; i++) {
        variant->step(problem, state, &clock);
        spmv_problem_swap(problem);
    }
    variant->release(state);
}

static void set_last(const spmv_problem_t *problem, double value)
{
    size_t last = problem->n - 1;
    pgas_barrier();
    if (pgas_array_owner(problem->x, last) == pgas_mythread())
        PGAS_PUT(double, problem->x, last, value);
    pgas_barrier();
}

/* Reads a value more than v3 does. */
static void chatting_step(const spmv_problem_t *problem, void *state, common_clock_t *clock)
{
    double value;
    pgas_memget(&value, pgas_array_at(problem->x, 0), sizeof value);
    spmv_v3.step(problem, state, clock);
}

static void check_traffic(spmv_problem_t *problem)
{
    enum {
        ITERATIONS = 3,
        REPETITIONS = 2
    };
    spmv_variant_t chatting = spmv_v3;
    spmv_settings_t settings = {.iterations = ITERATIONS, .repetitions = REPETITIONS};
    spmv_counts_t counts;
    spmv_result_t result;
    chatting.step = chatting_step;
    spmv_counts_take(problem, &counts);
    spmv_run(&chatting, problem, &counts, &settings, NULL, &result);
    expect(!result.traffic_as_predicted, "uncalled-for traffic passes");
    const pgas_stats_t *counted = &result.threads[0].traffic;
    const pgas_traffic_t *reads = &counted->traffic[PGAS_OWN][PGAS_CONTIGUOUS][PGAS_FROM];
    expect(reads->operations == (uint64_t)ITERATIONS * REPETITIONS &&
               reads->bytes == reads->operations * sizeof(double),
           "uncalled-for traffic is not in the result");
    free(result.threads);
}

int main(int argc, char **argv)
{
    if (argc != 2 || pgas_init() != PGAS_OK)
        return 1;
    spmv_problem_t problem;
    spmv_problem_load(argv[1], 10, &problem);
    spmv_check_t *check = spmv_check_create(&problem, 2);
    run_steps(&problem, &spmv_v3, 2);
    expect(spmv_check_products(check) == 2, "a check of two products compares others");
    expect(spmv_check_from_start(check, &problem).error <= SPMV_CHECK_LIMIT,
           "a right result fails");
    expect(spmv_check_last_step(check, &problem, 2).error <= SPMV_CHECK_LIMIT,
           "a right step fails");
    set_last(&problem, PGAS_GET(double, problem.x, problem.n - 1) * (1.0 + 1e-9));
    double from_start = spmv_check_from_start(check, &problem).error;
    expect(from_start > SPMV_CHECK_LIMIT, "a wrong result passes");
    expect(spmv_check_last_step(check, &problem, 2).error > SPMV_CHECK_LIMIT,
           "a wrong step passes");
    expect(from_start < 1e-6, "the error is out of proportion");
    set_last(&problem, INFINITY);
    spmv_verdict_t infinite = spmv_check_last_step(check, &problem, 2);
    expect(infinite.error > SPMV_CHECK_LIMIT && infinite.overflow == 0,
           "a value is infinite that must not be, and passes");
    expect(spmv_check_from_start(check, &problem).error > SPMV_CHECK_LIMIT,
           "an infinite result passes");
    spmv_check_free(check);
    check_traffic(&problem);
    spmv_problem_free(&problem);
    pgas_finalize();
    return 0;
}
