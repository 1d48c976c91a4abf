/* The same by messages of MPI, each of one value: see signal.c. */
#include <mpi.h>
#include <stdlib.h>

#include "measure.h"

enum {
    ROWS = 2000,
    TURNS = 2000
};

static int me;
static int last;

static void send(int rank, double value)
{
    MPI_Send(&value, 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD);
}

static double receive(int rank)
{
    double value;
    MPI_Recv(&value, 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

static double take_turns(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = bench_seconds();
    for (size_t i = 0; i < TURNS && me == 0; i++) {
        send(last, (double)i);
        receive(last);
    }
    for (size_t i = 0; i < TURNS && me == last; i++)
        send(0, receive(0));
    double took = bench_seconds() - begin;
    MPI_Barrier(MPI_COMM_WORLD);
    return took * 1e9 / (2 * TURNS);
}

static double pipeline(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = bench_seconds();
    for (size_t row = 0; row < ROWS; row++) {
        double value = me > 0 ? receive(me - 1) : (double)row;
        if (me < last)
            send(me + 1, value + 1);
    }
    if (me == last)
        send(0, 0);
    else if (me == 0)
        receive(last);
    double took = bench_seconds() - begin;
    MPI_Barrier(MPI_COMM_WORLD);
    return took * 1e9 / (ROWS * (double)last);
}

int main(int argc, char **argv)
{
    size_t batches = bench_argument(argc, argv, 1, 21);
    double *turns = malloc(2 * batches * sizeof *turns);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &last);
    last--;
    if (turns == NULL || last < 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
    else {
        take_turns();
        pipeline();
        for (size_t i = 0; i < batches; i++) {
            turns[i] = take_turns();
            turns[batches + i] = pipeline();
        }
        if (me == 0) {
            bench_print("mpi_turns_ns", bench_summarise(turns, batches));
            bench_print("mpi_pipeline_ns", bench_summarise(turns + batches, batches));
        }
    }
    free(turns);
    MPI_Finalize();
    return 0;
}
