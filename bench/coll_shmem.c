/* Times of OpenSHMEM's collectives on all of its processes; see coll_measure.h. Its buffers are
 * symmetric memory. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "coll_measure.h"

enum {
    WORD = 8,
    MOST = 16 << 20
};

static int size;
/* Where broadcasts arrive, and the room of reductions. */
static char *landing;
static double *scratch;
/* What collectives synchronise by, one behind the other: all have left one when its turn comes
 * again, since each process has been the root of a broadcast meanwhile. */
static long *syncs;
static size_t used;

static void *allocate(size_t nbytes)
{
    void *memory = shmem_malloc(nbytes);
    if (memory == NULL) {
        fprintf(stderr, "bench-coll-shmem: no symmetric memory for %zu bytes\n", nbytes);
        shmem_global_exit(1);
    }
    return memory;
}

static long *next_sync(void)
{
    return syncs + (used++ % (2 * (size_t)size)) * SHMEM_REDUCE_SYNC_SIZE;
}

static void barrier(void)
{
    shmem_barrier_all();
}

static void broadcast(void *data, size_t nbytes, int root)
{
    shmem_broadcast64(landing, data, nbytes / WORD, root, 0, 0, size, next_sync());
}

static void allreduce(const double *src, double *dst, size_t nbytes)
{
    shmem_double_sum_to_all(dst, src, (int)(nbytes / sizeof(double)), 0, 0, size, scratch,
                            next_sync());
}

static void allgather(const void *src, void *dst, size_t nbytes)
{
    shmem_fcollect64(dst, src, nbytes / WORD, 0, 0, size, next_sync());
}

static void alltoall(const void *src, void *dst, size_t nbytes)
{
    shmem_alltoall64(dst, src, nbytes / WORD, 0, 0, size, next_sync());
}

int main(int argc, char **argv)
{
    shmem_init();
    size = shmem_n_pes();
    size_t words = 2 * (size_t)size * SHMEM_REDUCE_SYNC_SIZE;
    syncs = allocate(words * sizeof *syncs);
    for (size_t i = 0; i < words; i++)
        syncs[i] = SHMEM_SYNC_VALUE;
    landing = allocate(MOST);
    scratch = allocate(MOST + SHMEM_REDUCE_MIN_WRKDATA_SIZE * sizeof *scratch);
    shmem_barrier_all();
    /* It has no reduction to one. */
    bench_coll_t coll = {barrier,  broadcast, NULL,          allreduce, allgather,
                         alltoall, allocate,  shmem_my_pe(), size};
    bench_coll_measure(&coll, argc, argv);
    shmem_barrier_all();
    /* No shmem_finalize: that of Open MPI 4.1 crashes on some machines, after all work is done. */
    fflush(stdout);
    _exit(0);
}
