/* Times of Fathom's collectives on the team of all threads; see coll_measure.h. */
#include <pgas/pgas.h>

#include "coll_measure.h"

static void barrier(void)
{
    pgas_team_barrier(PGAS_TEAM_ALL);
}

static void broadcast(void *data, size_t nbytes, int root)
{
    pgas_broadcast(PGAS_TEAM_ALL, data, nbytes, root);
}

static void allreduce(const double *src, double *dst, size_t nbytes)
{
    pgas_allreduce(PGAS_TEAM_ALL, src, dst, nbytes / sizeof(double), PGAS_DOUBLE, PGAS_SUM);
}

static void allgather(const void *src, void *dst, size_t nbytes)
{
    pgas_allgather(PGAS_TEAM_ALL, src, dst, nbytes);
}

static void alltoall(const void *src, void *dst, size_t nbytes)
{
    pgas_alltoall(PGAS_TEAM_ALL, src, dst, nbytes);
}

int main(int argc, char **argv)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    bench_coll_t coll = {barrier,  broadcast,       allreduce,     allgather,
                         alltoall, pgas_mythread(), pgas_threads()};
    bench_coll_measure(&coll, argc, argv);
    pgas_finalize();
    return 0;
}
