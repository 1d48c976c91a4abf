/* A checkpoint that another one replaces while a run starts from it, as every run does that writes
 * to the same name: what is read of it is of the file that was opened. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "checkpoint.h"
#include "field.h"
#include "run.h"

enum {
    M = 9,
    N = 11
};

static const heat_shape_t shape = {.M = M, .N = N, .P = 1, .Q = 2, .depth = 1};

/* A checkpoint at step `steps`, of a field that has started as `start`. */
static void make(const char *path, size_t steps, heat_start_t start)
{
    heat_problem_t problem;
    heat_result_t result;
    const heat_settings_t settings = {.iterations = steps,
                                      .repetitions = 1,
                                      .stores = HEAT_STORES_CACHED,
                                      .start = start,
                                      .checkpoint = path,
                                      .checkpoint_every = steps};
    heat_problem_create(&shape, &problem);
    heat_run(&heat_memget, &problem, &settings, &result);
    free(result.threads);
    heat_problem_free(&problem);
}

/* The first file's step and field, twice. */
static void check_reads(const heat_restart_t *restart, size_t step, const double *expected)
{
    double field[M * N];
    heat_problem_t problem;
    heat_problem_create(&shape, &problem);
    for (int i = 0; i < 2; i++) {
        heat_problem_start(&problem, HEAT_SPOTS);
        heat_restart_read(restart, &problem);
        if (problem.step != step)
            pgas_fail(1, "step %zu, expected %zu", problem.step, step);
        heat_field_get(&problem, 0, M, field);
        for (size_t k = 0; k < (size_t)M * N; k++)
            if (fabs(field[k] - expected[k]) > 0)
                pgas_fail(1, "value %zu is another's", k);
        pgas_barrier();
    }
    heat_problem_free(&problem);
}

/* The field of a checkpoint that nobody replaces. */
static void read_field(const char *path, double *field)
{
    heat_checkpoint_info_t info;
    heat_problem_t problem;
    heat_restart_t *restart = heat_restart_open(path, &info);
    heat_problem_create(&shape, &problem);
    heat_problem_start(&problem, info.start);
    heat_restart_read(restart, &problem);
    heat_field_get(&problem, 0, M, field);
    pgas_barrier();
    heat_problem_free(&problem);
    heat_restart_close(restart);
}

int main(void)
{
    char first[64];
    char second[64];
    double expected[M * N];
    heat_checkpoint_info_t info;
    if (pgas_init() != PGAS_OK)
        return 1;
    /* The launcher's number is the same for both threads. */
    snprintf(first, sizeof first, "restart-%ld-first.h5", (long)getppid());
    snprintf(second, sizeof second, "restart-%ld-second.h5", (long)getppid());
    make(first, 3, HEAT_SPOTS);
    make(second, 5, HEAT_SPOTS);
    read_field(first, expected);

    heat_restart_t *restart = heat_restart_open(first, &info);
    if (info.step != 3 || info.M != M || info.N != N || info.start != HEAT_SPOTS)
        pgas_fail(1, "step %zu of %zux%zu points", info.step, info.M, info.N);
    if (pgas_mythread() == 0 && rename(second, first) != 0)
        pgas_fail(1, "not replaced");
    pgas_barrier();
    check_reads(restart, 3, expected);
    heat_restart_close(restart);
    if (pgas_mythread() == 0)
        unlink(first);
    pgas_finalize();
    return 0;
}
