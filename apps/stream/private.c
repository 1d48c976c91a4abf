#include "private.h"

#include <math.h>
#include <stdlib.h>

#include "common/large.h"
#include "job.h"

void stream_private_create(size_t count, stream_private_t *state)
{
    *state = (stream_private_t){
        .count = count,
        .arrays = {common_alloc("a", count, sizeof(double)),
                   common_alloc("b", count, sizeof(double)),
                   common_alloc("c", count, sizeof(double))},
        .expected = stream_start_values,
        .sums_right = true,
    };
    stream_kernel_start(&state->arrays, count);
}

void stream_private_free(stream_private_t *state)
{
    free(state->arrays.a);
    free(state->arrays.b);
    free(state->arrays.c);
}

typedef struct run {
    const stream_private_t *state;
    stream_kernel_t kernel;
    double sum;
} run_t;

static void run_kernel(void *context, size_t count)
{
    run_t *run = context;
    for (size_t i = 0; i < count; i++)
        run->sum = stream_kernel_run(run->kernel, &run->state->arrays, run->state->count);
}

double stream_private_bandwidth(stream_private_t *state, stream_kernel_t kernel)
{
    run_t run = {state, kernel, 0.0};
    double seconds = stream_time(run_kernel, &run, 1);
    double count = (double)state->count;
    stream_kernel_expect(kernel, &state->expected);
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
