/* Time of MPI_Barrier, measured as barrier.c measures pgas_barrier. */
#include <mpi.h>
#include <stdlib.h>

#include "measure.h"

static double time_batch(size_t barriers)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = bench_seconds();
    for (size_t i = 0; i < barriers; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    return (bench_seconds() - begin) * 1e9 / (double)barriers;
}

int main(int argc, char **argv)
{
    size_t barriers = bench_argument(argc, argv, 1, 2000);
    size_t batches = bench_argument(argc, argv, 2, 51);
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *times = malloc(batches * sizeof *times);
    if (times == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    else {
        time_batch(barriers);
        for (size_t i = 0; i < batches; i++)
            times[i] = time_batch(barriers);
        if (rank == 0)
            bench_print("mpi_barrier_ns", bench_summarise(times, batches));
    }
    free(times);
    MPI_Finalize();
    return 0;
}
