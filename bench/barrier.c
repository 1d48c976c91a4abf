/* Time of pgas_barrier: what barrier_mpi.c and barrier_shmem.c measure of their libraries. */
#include <pgas/pgas.h>

#include <stdlib.h>

#include "measure.h"

static double time_batch(size_t barriers)
{
    pgas_barrier();
    double begin = bench_seconds();
    for (size_t i = 0; i < barriers; i++)
        pgas_barrier();
    return (bench_seconds() - begin) * 1e9 / (double)barriers;
}

int main(int argc, char **argv)
{
    size_t barriers = bench_argument(argc, argv, 1, 2000);
    size_t batches = bench_argument(argc, argv, 2, 51);
    if (pgas_init() != PGAS_OK)
        return 1;
    double *times = malloc(batches * sizeof *times);
    if (times == NULL)
        pgas_exit(1);
    time_batch(barriers);
    for (size_t i = 0; i < batches; i++)
        times[i] = time_batch(barriers);
    if (pgas_mythread() == 0)
        bench_print("pgas_barrier_ns", bench_summarise(times, batches));
    free(times);
    pgas_finalize();
    return 0;
}
