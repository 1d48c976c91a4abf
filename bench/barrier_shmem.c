/* Times of shmem_barrier_all, measured as barrier.c measures pgas_barrier, and of the value
 * accesses shmem_double_p and shmem_double_g to the own process and to the next one. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure.h"

enum {
    ELEMENTS = 4096
};

typedef struct target {
    double *values;
    int process;
} target_t;

typedef double (*measurement_t)(size_t repetitions, target_t target);

static double time_barriers(size_t barriers, target_t target)
{
    (void)target;
    shmem_barrier_all();
    double begin = bench_seconds();
    for (size_t i = 0; i < barriers; i++)
        shmem_barrier_all();
    return (bench_seconds() - begin) * 1e9 / (double)barriers;
}

static double time_puts(size_t rounds, target_t target)
{
    double begin = bench_seconds();
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < ELEMENTS; i++)
            shmem_double_p(&target.values[i], (double)round, target.process);
    shmem_quiet();
    return (bench_seconds() - begin) * 1e9 / (double)(rounds * ELEMENTS);
}

static double time_gets(size_t rounds, target_t target)
{
    static volatile double sink;
    double sum = 0;
    double begin = bench_seconds();
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < ELEMENTS; i++)
            sum += shmem_double_g(&target.values[i], target.process);
    sink = sum;
    (void)sink;
    return (bench_seconds() - begin) * 1e9 / (double)(rounds * ELEMENTS);
}

static void measure(const char *name, measurement_t measurement, size_t repetitions, size_t batches,
                    target_t target)
{
    double *times = malloc(batches * sizeof *times);
    if (times == NULL)
        shmem_global_exit(1);
    measurement(repetitions, target);
    for (size_t i = 0; times != NULL && i < batches; i++)
        times[i] = measurement(repetitions, target);
    if (times != NULL && shmem_my_pe() == 0)
        bench_print(name, bench_summarise(times, batches));
    free(times);
}

int main(int argc, char **argv)
{
    size_t barriers = bench_argument(argc, argv, 1, 2000);
    size_t batches = bench_argument(argc, argv, 2, 51);
    shmem_init();
    int me = shmem_my_pe();
    double *values = shmem_calloc(ELEMENTS, sizeof *values);
    if (values == NULL)
        shmem_global_exit(1);
    target_t own = {values, me};
    target_t next = {values, (me + 1) % shmem_n_pes()};
    measure("shmem_barrier_ns", time_barriers, barriers, batches, own);
    if (me == 0) {
        measure("shmem_own_put_ns", time_puts, 10, batches, own);
        measure("shmem_own_get_ns", time_gets, 10, batches, own);
        measure("shmem_local_put_ns", time_puts, 10, batches, next);
        measure("shmem_local_get_ns", time_gets, 10, batches, next);
    }
    shmem_barrier_all();
    /* No shmem_finalize: that of Open MPI 4.1 crashes on some machines, after all work is done. */
    fflush(stdout);
    _exit(0);
}
