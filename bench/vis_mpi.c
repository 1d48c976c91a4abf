/* MPI's derived datatypes in MPI_Get and MPI_Put, measured as vis.c measures Fathom's copies. The
 * types are made once per shape, which is not timed. Arguments: "near" or "far", repetitions. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "vis_measure.h"

static MPI_Win window;
static MPI_Datatype type = MPI_DATATYPE_NULL;
static int target;
static char *buffer;
static int nbytes;

static void prepare(const bench_vis_shape_t *shape, const size_t *offsets)
{
    if (type != MPI_DATATYPE_NULL)
        MPI_Type_free(&type);
    nbytes = (int)(shape->chunk * shape->count);
    if (shape->indexed) {
        MPI_Aint *places = malloc(shape->count * sizeof *places);
        if (places == NULL)
            MPI_Abort(MPI_COMM_WORLD, 1);
        else
            for (size_t i = 0; i < shape->count; i++)
                places[i] = (MPI_Aint)offsets[i];
        MPI_Type_create_hindexed_block((int)shape->count, (int)shape->chunk, places, MPI_BYTE,
                                       &type);
        free(places);
    } else {
        MPI_Type_create_hvector((int)shape->count, (int)shape->chunk, (MPI_Aint)shape->stride,
                                MPI_BYTE, &type);
    }
    MPI_Type_commit(&type);
}

static void copy(bool is_get, size_t times)
{
    for (size_t t = 0; t < times; t++) {
        if (is_get)
            MPI_Get(buffer, nbytes, MPI_BYTE, target, 0, 1, type, window);
        else
            MPI_Put(buffer, nbytes, MPI_BYTE, target, 0, 1, type, window);
        MPI_Win_flush(target, window);
    }
}

int main(int argc, char **argv)
{
    static const bench_vis_way_t ways[] = {{"mpi", copy, SIZE_MAX, true, true}};
    bool near = argc > 1 && strcmp(argv[1], "near") == 0;
    size_t repetitions = bench_argument(argc, argv, 2, 11);
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &target);
    target--;
    uint64_t *words;
    MPI_Win_allocate((MPI_Aint)BENCH_VIS_MEMORY, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &words, &window);
    for (size_t i = 0; i < BENCH_VIS_MEMORY / sizeof *words; i++)
        words[i] = i;
    MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        buffer = bench_allocate(BENCH_VIS_MEMORY, 0);
        bench_vis_t vis = {
            .ways = ways, .count = 1, .buffer = buffer, .prepare = prepare, .near = near};
        bench_vis_run(&vis, repetitions);
        free(buffer);
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (type != MPI_DATATYPE_NULL)
        MPI_Type_free(&type);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
