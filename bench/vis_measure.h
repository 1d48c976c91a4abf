/**
 * Shared by vis.c and vis_mpi.c: the same copies of scattered memory, timed and checked alike.
 */
#ifndef BENCH_VIS_MEASURE_H
#define BENCH_VIS_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

/** Chunks of the target's memory. The other side is contiguous private memory. */
typedef struct bench_vis_shape {
    const char *name;
    /** Bytes of a chunk, the number of chunks, and bytes from one to the next. */
    size_t chunk;
    size_t count;
    size_t stride;
    /** Named one by one, in a random order; else one regular section. */
    bool indexed;
} bench_vis_shape_t;

/** Bytes of the target's memory, and of private memory, that the shapes need at most. */
#define BENCH_VIS_MEMORY ((size_t)256 << 20)

/** Copies the chunks of the shape that is being measured `times` times: from the target's memory if
 *  `is_get`, else to it. Complete at the target when it returns. */
typedef void (*bench_vis_copy_t)(bool is_get, size_t times);

/** A way to copy. */
typedef struct bench_vis_way {
    const char *name;
    bench_vis_copy_t copy;
    /** Takes too long for shapes of many chunks, or does not support this kind of shape. */
    size_t most_chunks;
    bool strided;
    bool indexed;
} bench_vis_way_t;

/** One library. */
typedef struct bench_vis {
    const bench_vis_way_t *ways;
    size_t count;
    /** The private side; BENCH_VIS_MEMORY bytes. */
    char *buffer;
    /** Prepares what the ways need for a shape; `offsets` are the places of the chunks. Not
     *  timed. */
    void (*prepare)(const bench_vis_shape_t *shape, const size_t *offsets);
    /** The target's memory is local: shapes are large, and processor time is measured instead of
     *  time. */
    bool near;
    /** If not 0, only shapes of chunks of so many bytes. */
    size_t chunk;
    /** Takes part in another process's measurement, with the same ways and repetitions, but neither
     *  checks nor prints. */
    bool helps;
} bench_vis_t;

/**
 * Measures all shapes by all ways, in turn, and prints one line each (measure.h):
 * "get_SHAPE:WAY_ns" and "put_SHAPE:WAY_ns", nanoseconds per chunk. Called by one process, and by
 * those that help it; the target's 8-byte word k must hold k before. Ends the process if bytes do
 * not arrive.
 */
void bench_vis_run(const bench_vis_t *vis, size_t repetitions);

#endif
