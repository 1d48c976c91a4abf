/* The check finds a single wrong value: a result is corrupted on purpose and must fail. */
#include <pgas/pgas.h>
#include <stdio.h>

#include "check.h"
#include "problem.h"
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

static void corrupt(const spmv_problem_t *problem)
{
    size_t last = problem->n - 1;
    if (pgas_array_owner(problem->x, last) == pgas_mythread())
        PGAS_PUT(double, problem->x, last, PGAS_GET(double, problem->x, last) * (1.0 + 1e-9));
    pgas_barrier();
}

int main(int argc, char **argv)
{
    if (argc != 2 || pgas_init() != PGAS_OK)
        return 1;
    spmv_problem_t problem;
    spmv_problem_load(argv[1], 10, &problem);
    spmv_check_t *check = spmv_check_create(argv[1], &problem);
    run_steps(&problem, &spmv_v3, 2);
    expect(spmv_check_from_start(check, &problem, 2) <= SPMV_CHECK_LIMIT, "a right result fails");
    expect(spmv_check_last_step(check, &problem) <= SPMV_CHECK_LIMIT, "a right step fails");
    corrupt(&problem);
    double from_start = spmv_check_from_start(check, &problem, 2);
    double last_step = spmv_check_last_step(check, &problem);
    if (pgas_mythread() == 0) {
        expect(from_start > SPMV_CHECK_LIMIT, "a wrong result passes");
        expect(last_step > SPMV_CHECK_LIMIT, "a wrong step passes");
        expect(from_start < 1e-6, "the error is out of proportion");
    }
    spmv_check_free(check);
    spmv_problem_free(&problem);
    pgas_finalize();
    return 0;
}
