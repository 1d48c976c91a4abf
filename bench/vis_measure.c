#include "vis_measure.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum {
    MOST_WAYS = 8,
    /* Chunks that are copied in one measurement, at least. */
    WORK_NEAR = 400000,
    WORK_FAR = 20000
};

static const bench_vis_shape_t near_shapes[] = {
    {"strided_8x1000", 8, 1000, 64, false},
    {"strided_8x100000", 8, 100000, 64, false},
    {"strided_8x1000000", 8, 1000000, 64, false},
    {"strided_16x100000", 16, 100000, 64, false},
    {"strided_4x100000", 4, 100000, 64, false},
    {"strided_64x100000", 64, 100000, 128, false},
    {"strided_1024x32768", 1024, 32768, 2048, false},
    {"strided_8192x4096", 8192, 4096, 16384, false},
    {"strided_1024x131072", 1024, 131072, 2048, false},
    {"indexed_8x1000", 8, 1000, 64, true},
    {"indexed_8x100000", 8, 100000, 64, true},
    {"indexed_8x1000000", 8, 1000000, 64, true},
};

static const bench_vis_shape_t far_shapes[] = {
    {"strided_8x1000", 8, 1000, 64, false},
    {"strided_8x10000", 8, 10000, 64, false},
    {"strided_8x100000", 8, 100000, 64, false},
    {"strided_1024x1000", 1024, 1000, 2048, false},
    {"strided_512x1000", 512, 1000, 1024, false},
    {"strided_4096x1000", 4096, 1000, 8192, false},
    {"strided_8192x1000", 8192, 1000, 16384, false},
    {"strided_16384x1000", 16384, 1000, 32768, false},
    {"strided_65536x1000", 65536, 1000, 131072, false},
    {"indexed_8x1000", 8, 1000, 64, true},
    {"indexed_8x10000", 8, 10000, 64, true},
    {"indexed_8x100000", 8, 100000, 64, true},
};

/* Fisher and Yates, with a fixed sequence of numbers. */
static size_t *make_offsets(const bench_vis_shape_t *shape)
{
    size_t *offsets = malloc(shape->count * sizeof *offsets);
    if (offsets == NULL)
        exit(1);
    uint64_t state = 42;
    for (size_t i = 0; i < shape->count; i++)
        offsets[i] = i * shape->stride;
    for (size_t i = shape->count; shape->indexed && i > 1; i--) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        size_t k = (size_t)(state >> 33) % i;
        size_t offset = offsets[i - 1];
        offsets[i - 1] = offsets[k];
        offsets[k] = offset;
    }
    return offsets;
}

static double now(const bench_vis_t *vis)
{
    return vis->near ? bench_cpu_seconds() : bench_seconds();
}

/* The target's words are their own numbers; a chunk begins with one, in its lower bytes if it is
 * smaller. */
static void check(const bench_vis_t *vis, const bench_vis_shape_t *shape, const size_t *offsets,
                  const char *way)
{
    for (size_t i = 0; i < shape->count; i++) {
        uint64_t word = 0;
        uint64_t right = offsets[i] / sizeof word;
        size_t size = shape->chunk < sizeof word ? shape->chunk : sizeof word;
        memcpy(&word, vis->buffer + i * shape->chunk, size);
        if (memcmp(&word, &right, size) != 0) {
            fprintf(stderr, "%s: %s has brought wrong bytes\n", shape->name, way);
            exit(1);
        }
    }
}

static bool is_for(const bench_vis_way_t *way, const bench_vis_shape_t *shape)
{
    return shape->count <= way->most_chunks && (shape->indexed ? way->indexed : way->strided);
}

static void measure(const bench_vis_t *vis, const bench_vis_shape_t *shape, bool is_get,
                    size_t repetitions)
{
    double *times[MOST_WAYS];
    size_t work = vis->near ? WORK_NEAR : WORK_FAR;
    size_t passes = (work + shape->count - 1) / shape->count;
    for (size_t way = 0; way < vis->count; way++)
        times[way] = bench_allocate(repetitions * sizeof(double), 0);
    for (size_t i = 0; i < repetitions; i++)
        for (size_t k = 0; k < vis->count; k++) {
            size_t way = (i + k) % vis->count;
            if (!is_for(&vis->ways[way], shape))
                continue;
            double begin = now(vis);
            vis->ways[way].copy(is_get, passes);
            times[way][i] = (now(vis) - begin) * 1e9 / (double)(passes * shape->count);
        }
    for (size_t way = 0; way < vis->count; way++) {
        char name[128];
        snprintf(name, sizeof name, "%s_%s:%s_ns", is_get ? "get" : "put", shape->name,
                 vis->ways[way].name);
        if (is_for(&vis->ways[way], shape) && !vis->helps)
            bench_print(name, bench_summarise(times[way], repetitions));
        free(times[way]);
    }
}

void bench_vis_run(const bench_vis_t *vis, size_t repetitions)
{
    const bench_vis_shape_t *shapes = vis->near ? near_shapes : far_shapes;
    size_t count = vis->near ? sizeof near_shapes / sizeof near_shapes[0]
                             : sizeof far_shapes / sizeof far_shapes[0];
    for (size_t i = 0; i < count; i++) {
        if (vis->chunk != 0 && shapes[i].chunk != vis->chunk)
            continue;
        size_t *offsets = make_offsets(&shapes[i]);
        vis->prepare(&shapes[i], offsets);
        for (size_t way = 0; way < vis->count; way++) {
            if (!is_for(&vis->ways[way], &shapes[i]))
                continue;
            memset(vis->buffer, 0xff, shapes[i].chunk * shapes[i].count);
            vis->ways[way].copy(true, 1);
            if (!vis->helps)
                check(vis, &shapes[i], offsets, vis->ways[way].name);
        }
        measure(vis, &shapes[i], true, repetitions);
        measure(vis, &shapes[i], false, repetitions);
        free(offsets);
    }
}
