/* MPI's one-sided operations over the network, measured as net.c measures Fathom's: passive target,
 * completed at the target by MPI_Win_flush. */
#include <mpi.h>
#include <string.h>

#include "measure.h"
#include "net_measure.h"

static MPI_Win window;
static int target;
static char *buffer;

static void put(size_t offset, size_t nbytes)
{
    MPI_Put(buffer + offset, (int)nbytes, MPI_BYTE, target, (MPI_Aint)offset, (int)nbytes, MPI_BYTE,
            window);
}

static void get_words(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        MPI_Get(buffer, BENCH_WORD, MPI_BYTE, target, 0, BENCH_WORD, MPI_BYTE, window);
        MPI_Win_flush(target, window);
    }
}

static void put_words(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put(0, BENCH_WORD);
        MPI_Win_flush(target, window);
    }
}

static void put_blocks(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put(0, BENCH_BLOCK);
        MPI_Win_flush(target, window);
    }
}

static void stream_words(size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(i * BENCH_WORD, BENCH_WORD);
    MPI_Win_flush(target, window);
}

static void stream_blocks(size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(0, BENCH_BLOCK);
    MPI_Win_flush(target, window);
}

static void barrier(size_t count)
{
    for (size_t i = 0; i < count; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
}

int main(int argc, char **argv)
{
    size_t batches = bench_argument(argc, argv, 1, BENCH_NET_BATCHES);
    MPI_Init(&argc, &argv);
    bench_net_t net = {
        .barrier = barrier,
        .get_words = get_words,
        .put_words = put_words,
        .put_blocks = put_blocks,
        .stream_words = stream_words,
        .stream_blocks = stream_blocks,
    };
    MPI_Comm_rank(MPI_COMM_WORLD, &net.process);
    MPI_Comm_size(MPI_COMM_WORLD, &net.processes);
    target = net.processes - 1;
    MPI_Win_allocate(BENCH_BLOCK, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &net.shared, &window);
    net.buffer = buffer = bench_allocate(BENCH_BLOCK, 0);
    MPI_Win_lock_all(0, window);
    if (!bench_net_run(&net, batches))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
