/**
 * STREAM on private arrays, all threads at once.
 */
#ifndef STREAM_PRIVATE_H
#define STREAM_PRIVATE_H

#include "kernels.h"

typedef struct stream_private {
    /** Elements per array and thread. */
    size_t count;
    stream_arrays_t arrays;
    stream_values_t expected;
    /** False as soon as a sum was wrong. */
    bool sums_right;
} stream_private_t;

/** Allocates and touches the arrays, on 2 MiB pages where there are any. Not collective. */
void stream_private_create(size_t count, stream_private_t *state);

/** Frees them. */
void stream_private_free(stream_private_t *state);

/** Runs a kernel on every thread and returns bytes per second and thread: what all threads moved by
 *  the time until the last one was through, over the number of threads. Collective. */
double stream_private_bandwidth(stream_private_t *state, stream_kernel_t kernel);

/** True if all elements on all threads hold what the kernels that have run leave. Collective. */
bool stream_private_check(const stream_private_t *state);

#endif
