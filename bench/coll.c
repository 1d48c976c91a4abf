/* Times of Fathom's collectives on the team of all threads; see coll_measure.h. A third
 * argument, "shared": on shared memory. */
#include <stdio.h>
#include <string.h>

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

static void reduce(const double *src, double *dst, size_t nbytes, int root)
{
    pgas_reduce(PGAS_TEAM_ALL, src, dst, nbytes / sizeof(double), PGAS_DOUBLE, PGAS_SUM, root);
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

/* Of the caller's own shared memory. */
static void *allocate_shared(size_t nbytes)
{
    pgas_ptr_t memory;
    if (pgas_alloc(nbytes, &memory) != PGAS_OK) {
        fprintf(stderr, "bench-coll: no shared memory for %zu bytes\n", nbytes);
        pgas_exit(1);
    }
    return pgas_local(memory);
}

int main(int argc, char **argv)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    bool is_shared = argc > 3 && strcmp(argv[3], "shared") == 0;
    bench_coll_t coll = {barrier,
                         broadcast,
                         reduce,
                         allreduce,
                         allgather,
                         alltoall,
                         is_shared ? allocate_shared : NULL,
                         pgas_mythread(),
                         pgas_threads()};
    bench_coll_measure(&coll, argc, argv);
    pgas_finalize();
    return 0;
}
