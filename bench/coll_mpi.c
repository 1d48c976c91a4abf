/* Times of MPI's collectives on MPI_COMM_WORLD; see coll_measure.h. Built with each MPI. */
#include <mpi.h>

#include "coll_measure.h"

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void broadcast(void *data, size_t nbytes, int root)
{
    MPI_Bcast(data, (int)nbytes, MPI_BYTE, root, MPI_COMM_WORLD);
}

static void reduce(const double *src, double *dst, size_t nbytes, int root)
{
    MPI_Reduce(src, dst, (int)(nbytes / sizeof(double)), MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
}

static void allreduce(const double *src, double *dst, size_t nbytes)
{
    MPI_Allreduce(src, dst, (int)(nbytes / sizeof(double)), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void allgather(const void *src, void *dst, size_t nbytes)
{
    MPI_Allgather(src, (int)nbytes, MPI_BYTE, dst, (int)nbytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void alltoall(const void *src, void *dst, size_t nbytes)
{
    MPI_Alltoall(src, (int)nbytes, MPI_BYTE, dst, (int)nbytes, MPI_BYTE, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    bench_coll_t coll = {barrier, broadcast, reduce, allreduce, allgather, alltoall, NULL, 0, 1};
    MPI_Comm_rank(MPI_COMM_WORLD, &coll.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &coll.size);
    bench_coll_measure(&coll, argc, argv);
    MPI_Finalize();
    return 0;
}
