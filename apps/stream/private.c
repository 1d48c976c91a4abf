#include "private.h"

#include <math.h>
#include <stdlib.h>

#include "common/large.h"
#include "job.h"

enum {
    PAGE = 4096,
    /* About a third of a page, in whole cache lines. */
    APART = 1344
};

static char *allocate(stream_memory_t memory, size_t nbytes, stream_private_t *state)
{
    if (memory == STREAM_IN_PRIVATE_MEMORY)
        return state->allocated = common_alloc("STREAM's arrays", nbytes, 1);
    if (pgas_all_alloc((size_t)pgas_threads(), nbytes, &state->segment) != PGAS_OK)
        pgas_exit(1);
    return pgas_local(pgas_ptr_on(state->segment, pgas_mythread()));
}

void stream_private_create(stream_memory_t memory, size_t count, stream_private_t *state)
{
    if (count > SIZE_MAX / sizeof(double) / 4)
        pgas_fail(1, "STREAM: three arrays of %zu elements overflow", count);
    size_t stride = (count * sizeof(double) / PAGE + 1) * PAGE + APART;
    *state = (stream_private_t){
        .count = count,
        .expected = stream_start_values,
        .sums_right = true,
    };
    char *first = allocate(memory, 3 * stride, state);
    state->arrays = (stream_arrays_t){
        (double *)(void *)first,
        (double *)(void *)(first + stride),
        (double *)(void *)(first + 2 * stride),
    };
    stream_kernel_start(&state->arrays, count);
}

void stream_private_free(stream_private_t *state)
{
    if (state->allocated != NULL)
        free(state->allocated);
    else
        pgas_all_free(state->segment);
}

pgas_ptr_t stream_private_of(const stream_private_t *state, int thread, const double *array,
                             size_t index)
{
    const char *first = (const char *)state->arrays.a;
    return pgas_ptr_shift(pgas_ptr_on(state->segment, thread), (const char *)&array[index] - first);
}

double stream_private_run(stream_private_t *state, stream_kernel_t kernel)
{
    stream_kernel_expect(kernel, &state->expected);
    return stream_kernel_run(kernel, &state->arrays, state->count);
}

typedef struct run {
    stream_private_t *state;
    stream_kernel_t kernel;
    double sum;
} run_t;

static void run_kernel(void *context, size_t count)
{
    run_t *run = context;
    for (size_t i = 0; i < count; i++)
        run->sum = stream_private_run(run->state, run->kernel);
}

double stream_private_bandwidth(stream_private_t *state, stream_kernel_t kernel)
{
    run_t run = {state, kernel, 0.0};
    double seconds = stream_time(run_kernel, &run, 1);
    double count = (double)state->count;
    if (kernel == STREAM_SUM) {
        double expected = count * state->expected.a;
        state->sums_right &= fabs(run.sum - expected) <= 1e-9 * fabs(expected);
    }
    return (double)stream_kernel_bytes[kernel] * count / seconds;
}

bool stream_private_check(const stream_private_t *state)
{
    return stream_all(state->sums_right &&
                      stream_kernel_check(&state->arrays, state->count, &state->expected));
}
