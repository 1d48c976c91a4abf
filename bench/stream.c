/* STREAM triad on private memory by all threads at once: an upper bound of the memory bandwidth of
 * SpMV. */
#include <pgas/pgas.h>

#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

typedef struct arrays {
    double *a;
    double *b;
    double *c;
} arrays_t;

static void triad(double *restrict a, const double *restrict b, const double *restrict c,
                  double scale, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] = b[i] + scale * c[i];
    __asm__ volatile("" : : "r"(a) : "memory");
}

/* Seconds until the last thread has finished. */
static double time_triad(const arrays_t *arrays, size_t count)
{
    pgas_barrier();
    double begin = bench_seconds();
    triad(arrays->a, arrays->b, arrays->c, 3.0, count);
    pgas_barrier();
    return bench_seconds() - begin;
}

int main(int argc, char **argv)
{
    size_t total = bench_argument(argc, argv, 1, (size_t)24 << 20);
    size_t repetitions = bench_argument(argc, argv, 2, 15);
    if (pgas_init() != PGAS_OK)
        return 1;
    size_t count = total / (size_t)pgas_threads() + 1;
    arrays_t arrays = {
        .a = bench_allocate(count * sizeof(double), 1),
        .b = bench_allocate(count * sizeof(double), 1),
        .c = bench_allocate(count * sizeof(double), 1),
    };
    double *speeds = bench_allocate(repetitions * sizeof *speeds, 0);
    double gigabytes = 24e-9 * (double)count * (double)pgas_threads();
    time_triad(&arrays, count);
    for (size_t i = 0; i < repetitions; i++)
        speeds[i] = gigabytes / time_triad(&arrays, count);
    if (pgas_mythread() == 0)
        bench_print("stream_triad_gb_per_s", bench_summarise(speeds, repetitions));
    free(arrays.a);
    free(arrays.b);
    free(arrays.c);
    free(speeds);
    pgas_finalize();
    return 0;
}
