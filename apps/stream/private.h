/**
 * STREAM on memory of the threads' own, all threads at once.
 */
#ifndef STREAM_PRIVATE_H
#define STREAM_PRIVATE_H

#include <pgas/pgas.h>

#include "kernels.h"

/** Where the arrays lie. */
typedef enum stream_memory {
    /** Private memory, on 2 MiB pages where there are any. */
    STREAM_IN_PRIVATE_MEMORY = 0,
    /** The thread's part of the shared heap, on whatever pages that has. */
    STREAM_IN_SHARED_HEAP
} stream_memory_t;

typedef struct stream_private {
    /** Elements per array and thread. */
    size_t count;
    stream_arrays_t arrays;
    stream_values_t expected;
    /** False as soon as a sum was wrong. */
    bool sums_right;
    /** What the arrays lie in, if that is private memory; else what all threads' lie in. */
    void *allocated;
    pgas_ptr_t segment;
} stream_private_t;

/** Allocates and touches the arrays. They do not begin at the same place of a page, where a
 *  processor takes a load for one that waits for a store just before it. Collective. */
void stream_private_create(stream_memory_t memory, size_t count, stream_private_t *state);

/** Frees them. Collective. */
void stream_private_free(stream_private_t *state);

/** Where element `index` of an array of `state` is in another thread's arrays, which must lie in
 *  the shared heap. */
pgas_ptr_t stream_private_of(const stream_private_t *state, int thread, const double *array,
                             size_t index);

/** Runs a kernel on the calling thread's arrays; the sum, of the kernel that has one. Every thread
 *  runs the same ones. Not collective. */
double stream_private_run(stream_private_t *state, stream_kernel_t kernel);

/** Runs a kernel on every thread and returns bytes per second and thread: what all threads moved by
 *  the time until the last one was through, over the number of threads. Collective. */
double stream_private_bandwidth(stream_private_t *state, stream_kernel_t kernel);

/** True if all elements on all threads hold what the kernels that have run leave. Collective. */
bool stream_private_check(const stream_private_t *state);

#endif
