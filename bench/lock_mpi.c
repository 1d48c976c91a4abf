/* The same by exclusive locks of MPI's windows, and a get with a flush: see lock.c. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "measure.h"

enum {
    FREE_TURNS = 1000,
    WANTED_TURNS = 300
};

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

typedef struct measure {
    const char *name;
    void (*loop)(size_t turns);
    size_t turns;
    /** Whether all ranks do it at once. */
    bool is_common;
    double *times;
} measure_t;

static double time_of(const measure_t *measure)
{
    double users = measure->is_common ? (double)ranks : 1;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = bench_seconds();
    if (measure->is_common || me == 0)
        measure->loop(measure->turns);
    MPI_Barrier(MPI_COMM_WORLD);
    return (bench_seconds() - begin) * 1e9 / (users * (double)measure->turns);
}

int main(int argc, char **argv)
{
    size_t batches = bench_argument(argc, argv, 1, 11);
    uint64_t *memory;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    measure_t measures[] = {
        {"mpi_own_lock_ns", use_own, FREE_TURNS, false, NULL},
        {"mpi_lock_ns", use_last, FREE_TURNS, false, NULL},
        {"mpi_get_ns", get, FREE_TURNS, false, NULL},
        {"mpi_wanted_lock_ns", use_last, WANTED_TURNS, true, NULL},
    };
    enum {
        MEASURES = sizeof measures / sizeof measures[0]
    };
    for (size_t m = 0; m < MEASURES; m++)
        if ((measures[m].times = malloc(batches * sizeof(double))) == NULL)
            MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i <= batches; i++) /* the first is not counted */
        for (size_t m = 0; m < MEASURES; m++) {
            double took = time_of(&measures[m]);
            if (i > 0)
                measures[m].times[i - 1] = took;
        }
    for (size_t m = 0; m < MEASURES; m++) {
        if (me == 0)
            bench_print(measures[m].name, bench_summarise(measures[m].times, batches));
        free(measures[m].times);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
