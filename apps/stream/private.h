/**
 * STREAM on the threads' own memory, all threads at once.
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
    /** False once a sum was wrong. */
    bool sums_right;
    /** What holds the arrays, if it is private memory; else what holds all threads' arrays. */
    void *allocated;
    pgas_ptr_t segment;
} stream_private_t;

/** Allocates and touches the arrays. They begin at different places in a page: at equal ones, a
 *  processor would make a load wait for the preceding store. Collective. */
void stream_private_create(stream_memory_t memory, size_t count, stream_private_t *state);

/** Frees them. Collective. */
void stream_private_free(stream_private_t *state);

/** Where element `index` of an array of `state` is in another thread's arrays, which must lie in
 *  the shared heap. */
pgas_ptr_t stream_private_of(const stream_private_t *state, int thread, const double *array,
                             size_t index);

/** Runs a kernel on the calling thread's arrays; returns the sum, if the kernel has one. Every
 *  thread runs the same kernels. Not collective. */
double stream_private_run(stream_private_t *state, stream_kernel_t kernel);

/** Runs a kernel on every thread and returns bytes per second and thread: the bytes of all threads,
 *  divided by the time until the last one finished and by the number of threads. Collective. */
double stream_private_bandwidth(stream_private_t *state, stream_kernel_t kernel);

/** True if all elements on all threads hold what the kernels that have run leave. Collective. */
bool stream_private_check(const stream_private_t *state);

#endif
