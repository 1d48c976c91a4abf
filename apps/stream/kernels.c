#include "kernels.h"

#include <math.h>

const char *const stream_kernel_names[STREAM_KERNELS] = {"copy", "scale", "add", "triad", "sum"};
const size_t stream_kernel_bytes[STREAM_KERNELS] = {16, 16, 24, 24, 8};
const stream_values_t stream_start_values = {1.0, 2.0, 0.0};

/* Keeps the compiler from dropping, merging or reordering timed code. */
static inline void consume(const double *array)
{
    __asm__ volatile("" : : "r"(array) : "memory");
}

static void copy(double *restrict c, const double *restrict a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        c[i] = a[i];
}

static void scale(double *restrict b, const double *restrict c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        b[i] = STREAM_FACTOR * c[i];
}

static void add(double *restrict c, const double *restrict a, const double *restrict b,
                size_t count)
{
    for (size_t i = 0; i < count; i++)
        c[i] = a[i] + b[i];
}

static void triad(double *restrict a, const double *restrict b, const double *restrict c,
                  size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] = b[i] + STREAM_FACTOR * c[i];
}

/* Several sums at once, or each addition would wait for the previous one; and both halves of the
 * array at once, prefetched, since a single stream of addresses does not keep the memory busy: 15
 * GB/s instead of 20 on one core of a Xeon. Prefetching past the end of the array is harmless. */
static double sum(const double *a, size_t count)
{
    enum {
        LANES = 16,
        LINE = 8,
        AHEAD = 1024
    };
    double sums[LANES] = {0.0};
    size_t half = count / 2 / LANES * LANES;
    const double *b = a + half;
    for (size_t i = 0; i < half; i += LANES) {
        for (size_t line = 0; line < LANES; line += LINE) {
            __builtin_prefetch(&a[i + line + AHEAD]);
            __builtin_prefetch(&b[i + line + AHEAD]);
        }
        for (size_t lane = 0; lane < LANES; lane++)
            sums[lane] += a[i + lane] + b[i + lane];
    }
    double total = 0.0;
    for (size_t i = 2 * half; i < count; i++)
        total += a[i];
    for (size_t lane = 0; lane < LANES; lane++)
        total += sums[lane];
    return total;
}

double stream_kernel_run(stream_kernel_t kernel, const stream_arrays_t *arrays, size_t count)
{
    double result = 0.0;
    switch (kernel) {
    case STREAM_COPY:
        copy(arrays->c, arrays->a, count);
        break;
    case STREAM_SCALE:
        scale(arrays->b, arrays->c, count);
        break;
    case STREAM_ADD:
        add(arrays->c, arrays->a, arrays->b, count);
        break;
    case STREAM_TRIAD:
        triad(arrays->a, arrays->b, arrays->c, count);
        break;
    default:
        result = sum(arrays->a, count);
        break;
    }
    consume(arrays->a);
    consume(arrays->b);
    consume(arrays->c);
    return result;
}

void stream_kernel_start(const stream_arrays_t *arrays, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        arrays->a[i] = stream_start_values.a;
        arrays->b[i] = stream_start_values.b;
        arrays->c[i] = stream_start_values.c;
    }
}

void stream_kernel_expect(stream_kernel_t kernel, stream_values_t *values)
{
    stream_arrays_t one = {&values->a, &values->b, &values->c};
    stream_kernel_run(kernel, &one, 1);
}

static bool all_near(const double *array, size_t count, double expected)
{
    const double limit = 1e-13 * fabs(expected);
    bool near = true;
    for (size_t i = 0; i < count; i++)
        near &= fabs(array[i] - expected) <= limit;
    return near;
}

bool stream_kernel_check(const stream_arrays_t *arrays, size_t count,
                         const stream_values_t *expected)
{
    return all_near(arrays->a, count, expected->a) && all_near(arrays->b, count, expected->b) &&
           all_near(arrays->c, count, expected->c);
}
