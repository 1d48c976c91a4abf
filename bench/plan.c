/* Plans between two nodes, measured as vis.c measures copies of the same elements. Both threads
 * take part: the second one sends or receives the elements that the first one names. The time of
 * pgas_plan_create is reported separately. */
#include <pgas/pgas.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "vis_measure.h"

static pgas_array_t array;
static pgas_plan_t *plan;
static uint64_t *values;

static bool names_elements(void)
{
    return pgas_mythread() == 0;
}

static void make_plan(const bench_vis_shape_t *shape, const size_t *offsets)
{
    size_t first = BENCH_VIS_MEMORY / sizeof *values;
    size_t *indices = malloc(shape->count * sizeof *indices);
    if (indices == NULL)
        pgas_exit(1);
    else
        for (size_t i = 0; i < shape->count; i++)
            indices[i] = first + offsets[i] / sizeof *values;
    pgas_plan_free(plan);
    if (pgas_plan_create(&array, indices, names_elements() ? shape->count : 0, PGAS_PLAN_SCATTER,
                         NULL, &plan) != PGAS_OK)
        pgas_exit(1);
    free(indices);
}

static void prepare(const bench_vis_shape_t *shape, const size_t *offsets)
{
    make_plan(shape, offsets);
    if (!names_elements())
        return;
    pgas_plan_info_t info;
    pgas_plan_info(plan, &info);
    double setup = info.setup_seconds * 1e9 / (double)shape->count;
    char name[128];
    snprintf(name, sizeof name, "get_%s:plan_setup_ns", shape->name);
    bench_print(name, (bench_summary_t){setup, setup, setup});
}

/* The barrier waits until a scatter has arrived, and lets both threads begin the next measurement
 * together. */
static void copy(bool is_get, size_t times)
{
    for (size_t t = 0; t < times; t++)
        if (is_get)
            pgas_plan_execute(plan, &array, values);
        else
            pgas_plan_scatter(plan, &array, values, NULL);
    pgas_barrier();
}

int main(int argc, char **argv)
{
    static const bench_vis_way_t ways[] = {{"plan", copy, SIZE_MAX, true, true}};
    size_t repetitions = bench_argument(argc, argv, 1, 11);
    if (pgas_init() != PGAS_OK)
        return 1;
    if (pgas_threads() != 2) {
        fprintf(stderr, "%s: %d threads; this is a measurement of two\n", argv[0], pgas_threads());
        pgas_exit(2);
    }
    size_t part = BENCH_VIS_MEMORY / sizeof *values;
    if (pgas_array_create(2 * part, sizeof *values, PGAS_BLOCK_EVEN, &array) != PGAS_OK)
        pgas_exit(1);
    uint64_t *words = pgas_array_mine(&array);
    for (size_t i = 0; i < part; i++)
        words[i] = i;
    values = bench_allocate(BENCH_VIS_MEMORY, 0);
    /* Connections are made on first use. */
    const bench_vis_shape_t first = {"first", sizeof *values, 1, sizeof *values, false};
    const size_t offset = 0;
    make_plan(&first, &offset);
    copy(true, 1);
    bench_vis_t vis = {
        .ways = ways,
        .count = 1,
        .buffer = (char *)values,
        .prepare = prepare,
        .chunk = sizeof *values,
        .helps = !names_elements(),
    };
    bench_vis_run(&vis, repetitions);
    pgas_plan_free(plan);
    pgas_array_free(&array);
    free(values);
    pgas_finalize();
    return 0;
}
