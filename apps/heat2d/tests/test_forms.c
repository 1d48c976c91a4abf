/* Every form of the halo, on every grid of the job's threads, with halos of several depths and both
 * kinds of stores, or the one that is tried out: the bits of a sequential solver, the decay of a
 * sine mode, the traffic of the halo. */
#include <stdlib.h>

#include "run.h"

static const heat_form_t *const forms[] = {&heat_memget, &heat_strided, &heat_async, &heat_signal};

/* 7 steps: the last exchange is short for depths 2 and 3. */
static const heat_settings_t settings[] = {
    {.iterations = 7, .repetitions = 2, .checked = true, .stores = HEAT_STORES_CACHED},
    {.iterations = 7, .repetitions = 1, .checked = true, .stores = HEAT_STORES_STREAMING},
    {.iterations = 7, .repetitions = 1, .checked = true, .stores = HEAT_STORES_AUTO},
};

static void check(const heat_form_t *form, const heat_shape_t *shape, const heat_settings_t *how)
{
    heat_problem_t problem;
    heat_result_t result;
    heat_problem_create(shape, &problem);
    heat_run(form, &problem, how, &result);
    if (pgas_mythread() == 0 && !heat_result_passed(&result))
        pgas_fail(1,
                  "%s, %zux%zu points, grid %zux%zu, depth %zu: %zu points differ, mode %.1e off "
                  "(limit %.1e), traffic %d",
                  form->name, shape->M, shape->N, shape->P, shape->Q, shape->depth,
                  result.differing, result.mode_error, result.mode_limit,
                  result.traffic_as_predicted);
    free(result.threads);
    heat_problem_free(&problem);
}

/* Blocks as small as the halo, uneven ones, and some that are longer than a poll interval. */
static void check_grid(size_t P, size_t Q)
{
    for (size_t depth = 1; depth <= 3; depth++) {
        const heat_shape_t shapes[] = {
            {.M = P * depth + 2, .N = Q * depth + 2, .P = P, .Q = Q, .depth = depth},
            {.M = 7 * P + 4, .N = 9 * Q + 3, .P = P, .Q = Q, .depth = depth},
            {.M = 103, .N = 201, .P = P, .Q = Q, .depth = depth},
        };
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++)
                for (size_t w = 0; w < sizeof settings / sizeof settings[0]; w++)
                    check(forms[f], &shapes[s], &settings[w]);
    }
}

int main(void)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    size_t threads = (size_t)pgas_threads();
    for (size_t P = 1; P <= threads; P++)
        if (threads % P == 0)
            check_grid(P, threads / P);
    pgas_finalize();
    return 0;
}
