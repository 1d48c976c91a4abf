#include "coll_measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum {
    BARRIER,
    BROADCAST,
    REDUCE,
    ALLREDUCE,
    ALLGATHER,
    ALLTOALL,
    KINDS
};

/* The longest block, and the longest of an all-to-all. */
#define MOST ((size_t)16 << 20)
#define MOST_EACH ((size_t)1 << 20)

static const bench_coll_t *library;
static char *src;
static char *dst;
static double most_us;

/* One call of a kind; roots take turns, so that none runs ahead. */
static void call(int kind, size_t nbytes, size_t turn)
{
    switch (kind) {
    case BARRIER:
        library->barrier();
        break;
    case BROADCAST:
        library->broadcast(src, nbytes, (int)(turn % (size_t)library->size));
        break;
    case REDUCE:
        library->reduce((const double *)(const void *)src, (double *)(void *)dst, nbytes,
                        (int)(turn % (size_t)library->size));
        break;
    case ALLREDUCE:
        library->allreduce((const double *)(const void *)src, (double *)(void *)dst, nbytes);
        break;
    case ALLGATHER:
        library->allgather(src, dst, nbytes);
        break;
    default:
        library->alltoall(src, dst, nbytes);
    }
}

static double time_batch(int kind, size_t nbytes, size_t calls)
{
    library->barrier();
    double begin = bench_seconds();
    for (size_t i = 0; i < calls; i++)
        call(kind, nbytes, i);
    /* Who has only sent waits for those that receive. */
    if (kind == BROADCAST || kind == REDUCE)
        library->barrier();
    return (bench_seconds() - begin) * 1e6 / (double)calls;
}

/* How many calls a batch has, by what one takes: rank 0 tells the others. */
static size_t agree_on(double took_us, size_t calls)
{
    double most = library->rank == 0 ? most_us / took_us : 0;
    double agreed = 0;
    memcpy(src, &most, sizeof most);
    library->allreduce((const double *)(const void *)src, (double *)(void *)dst, sizeof most);
    memcpy(&agreed, dst, sizeof agreed);
    memset(src, 0, sizeof most);
    if (agreed >= (double)calls)
        return calls;
    return agreed < 1 ? 1 : (size_t)agreed;
}

/* Reductions of each rank's number; the root is the last rank. */
static void check_sums(int kind, size_t nbytes)
{
    double *values = (double *)(void *)src;
    const double *sums = (const double *)(const void *)dst;
    double expected = 0.0;
    size_t wrong = 0;
    for (int rank = 0; rank < library->size; rank++)
        expected += (double)(rank + 1);
    for (size_t i = 0; i < nbytes / sizeof *values; i++)
        values[i] = (double)(library->rank + 1);
    call(kind, nbytes, (size_t)library->size - 1);
    for (size_t i = 0; i < nbytes / sizeof *values; i++)
        wrong += sums[i] < expected || sums[i] > expected;
    memset(src, 0, nbytes);
    if (wrong == 0 || (kind == REDUCE && library->rank != library->size - 1))
        return;
    fprintf(stderr, "bench-coll: rank %d: %zu sums of %zu bytes are wrong\n", library->rank, wrong,
            nbytes);
    exit(1);
}

static void measure(int kind, size_t nbytes, size_t calls, size_t batches)
{
    static const char *const names[KINDS] = {"barrier",   "broadcast", "reduce",
                                             "allreduce", "allgather", "alltoall"};
    char name[64];
    double *times = malloc(batches * sizeof *times);
    if (times == NULL)
        exit(1);
    if (kind == REDUCE || kind == ALLREDUCE)
        check_sums(kind, nbytes);
    time_batch(kind, nbytes, 1);
    calls = agree_on(time_batch(kind, nbytes, 2), calls);
    time_batch(kind, nbytes, calls);
    for (size_t i = 0; i < batches; i++)
        times[i] = time_batch(kind, nbytes, calls);
    snprintf(name, sizeof name, kind == BARRIER ? "%s_us" : "%s_%zu_us", names[kind], nbytes);
    if (library->rank == 0)
        bench_print(name, bench_summarise(times, batches));
    free(times);
}

static void *allocate(size_t nbytes)
{
    return library->allocate == NULL ? bench_allocate(nbytes, 0) : library->allocate(nbytes);
}

void bench_coll_measure(const bench_coll_t *coll, int argc, char **argv)
{
    static const size_t sizes[] = {8, 4096, 65536, 1 << 20, MOST};
    static const size_t calls[] = {500, 200, 40, 4, 1};
    size_t batches = bench_argument(argc, argv, 1, 15);
    most_us = (double)bench_argument(argc, argv, 2, 1000) * 1e3;
    library = coll;
    size_t members = (size_t)coll->size;
    size_t room = MOST_EACH * members > MOST ? MOST_EACH * members : MOST;
    src = allocate(room);
    dst = allocate(MOST * members);
    memset(src, 0, room);
    memset(dst, 0, MOST * members);
    measure(BARRIER, 0, calls[0], batches);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int kind = BARRIER + 1; kind < KINDS; kind++)
            if ((kind != ALLTOALL || sizes[i] <= MOST_EACH) &&
                (kind != REDUCE || library->reduce != NULL))
                measure(kind, sizes[i], calls[i], batches);
}
