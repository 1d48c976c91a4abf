/* OpenSHMEM over the network, measured as net.c measures Fathom: completed at the target by
 * shmem_quiet. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "net_measure.h"

static char *shared;
static int target;
static char *buffer;

static void get_words(size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word = shmem_uint64_g((const uint64_t *)(const void *)shared, target);
    memcpy(buffer, &word, sizeof word);
}

static void put_words(size_t count)
{
    uint64_t word;
    memcpy(&word, buffer, sizeof word);
    for (size_t i = 0; i < count; i++) {
        shmem_uint64_p((uint64_t *)(void *)shared, word, target);
        shmem_quiet();
    }
}

static void put_blocks(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        shmem_putmem(shared, buffer, BENCH_BLOCK, target);
        shmem_quiet();
    }
}

static void stream_words(size_t count)
{
    for (size_t i = 0; i < count; i++)
        shmem_putmem_nbi(shared + i * BENCH_WORD, buffer + i * BENCH_WORD, BENCH_WORD, target);
    shmem_quiet();
}

static void stream_blocks(size_t count)
{
    for (size_t i = 0; i < count; i++)
        shmem_putmem_nbi(shared, buffer, BENCH_BLOCK, target);
    shmem_quiet();
}

static void barrier(size_t count)
{
    for (size_t i = 0; i < count; i++)
        shmem_barrier_all();
}

int main(int argc, char **argv)
{
    size_t batches = bench_argument(argc, argv, 1, BENCH_NET_BATCHES);
    shmem_init();
    target = shmem_n_pes() - 1;
    shared = shmem_malloc(BENCH_BLOCK);
    if (shared == NULL)
        shmem_global_exit(1);
    buffer = bench_allocate(BENCH_BLOCK, 0);
    const bench_net_t net = {
        .process = shmem_my_pe(),
        .processes = shmem_n_pes(),
        .buffer = buffer,
        .shared = shared,
        .barrier = barrier,
        .get_words = get_words,
        .put_words = put_words,
        .put_blocks = put_blocks,
        .stream_words = stream_words,
        .stream_blocks = stream_blocks,
    };
    if (!bench_net_run(&net, batches))
        shmem_global_exit(1);
    shmem_barrier_all();
    /* No shmem_finalize: that of Open MPI 4.1 crashes on some machines, after all work is done. */
    fflush(stdout);
    _exit(0);
}
