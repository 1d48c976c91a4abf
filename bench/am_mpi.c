/* Messages of 16 bytes back and forth by MPI, as am.c has active messages: between ranks 0 and 1,
 * while the others wait in a barrier, and between all pairs of ranks at once. */
#include <mpi.h>
#include <stdlib.h>

#include "measure.h"

enum {
    NBYTES = 16,
    SHORTS = 2000,
    PAIRS = 200
};

static int rank;

static void ping(size_t count, int other)
{
    char bytes[NBYTES] = {0};
    for (size_t i = 0; i < count; i++) {
        if (rank < other)
            MPI_Send(bytes, NBYTES, MPI_CHAR, other, 0, MPI_COMM_WORLD);
        MPI_Recv(bytes, NBYTES, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank > other)
            MPI_Send(bytes, NBYTES, MPI_CHAR, other, 0, MPI_COMM_WORLD);
    }
}

/* `pings`: whether this rank takes part. Seconds of a round trip, and of the barrier's share. */
static double time_batch(size_t count, int pings)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = bench_seconds();
    if (pings)
        ping(count, rank ^ 1);
    MPI_Barrier(MPI_COMM_WORLD);
    return (bench_seconds() - begin) / (double)count;
}

static void run(const char *name, size_t count, int pings, size_t batches)
{
    double *times = malloc(batches * sizeof *times);
    if (times == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    time_batch(count, pings);
    for (size_t i = 0; times != NULL && i < batches; i++)
        times[i] = 1e9 * time_batch(count, pings);
    if (rank == 0)
        bench_print(name, bench_summarise(times, batches));
    free(times);
}

int main(int argc, char **argv)
{
    size_t batches = bench_argument(argc, argv, 1, 51);
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size % 2 == 0) {
        run("mpi_short_ns", SHORTS, rank < 2, batches);
        run("mpi_pairs_ns", PAIRS, 1, batches);
    }
    MPI_Finalize();
    return 0;
}
