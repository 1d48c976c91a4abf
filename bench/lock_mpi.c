/* The same by exclusive locks of MPI's windows, and a get with a flush: see lock.c. */
#include <mpi.h>
#include <stdint.h>

#include "lock_measure.h"
#include "measure.h"

static int me;
static int ranks;
static MPI_Win window;
static volatile uint64_t sink;

static void use(int rank, size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
        MPI_Win_unlock(rank, window);
    }
}

static void use_own(size_t turns)
{
    use(me, turns);
}

static void use_last(size_t turns)
{
    use(ranks - 1, turns);
}

static void get(size_t turns)
{
    uint64_t value = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, ranks - 1, 0, window);
    for (size_t i = 0; i < turns; i++) {
        MPI_Get(&value, 1, MPI_UINT64_T, ranks - 1, 0, 1, MPI_UINT64_T, window);
        MPI_Win_flush(ranks - 1, window);
        sink += value;
    }
    MPI_Win_unlock(ranks - 1, window);
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    size_t batches = bench_argument(argc, argv, 1, 11);
    uint64_t *memory;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    const bench_lock_loop_t loops[] = {
        {"mpi_own_lock_ns", use_own, BENCH_FREE_TURNS, false},
        {"mpi_lock_ns", use_last, BENCH_FREE_TURNS, false},
        {"mpi_get_ns", get, BENCH_FREE_TURNS, false},
        {"mpi_wanted_lock_ns", use_last, BENCH_WANTED_TURNS, true},
    };
    const bench_lock_t lock = {
        .process = me,
        .processes = ranks,
        .barrier = barrier,
        .loops = loops,
        .count = sizeof loops / sizeof loops[0],
    };
    bench_lock_run(&lock, batches);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
