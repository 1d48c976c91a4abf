#include "coll_measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum {
    MOST = 16 << 20,
    KINDS = 5
};

static const bench_coll_t *library;
static char *src;
static char *dst;

/* One call of a kind; roots take turns, so that none runs ahead. */
static void call(int kind, size_t nbytes, size_t turn)
{
    switch (kind) {
    case 0:
        library->barrier();
        break;
    case 1:
        library->broadcast(src, nbytes, (int)(turn % (size_t)library->size));
        break;
    case 2:
        library->allreduce((const double *)(const void *)src, (double *)(void *)dst, nbytes);
        break;
    case 3:
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
    return (bench_seconds() - begin) * 1e6 / (double)calls;
}

static void measure(int kind, size_t nbytes, size_t calls, size_t batches)
{
    static const char *const names[KINDS] = {"barrier", "broadcast", "allreduce", "allgather",
                                             "alltoall"};
    char name[64];
    double *times = malloc(batches * sizeof *times);
    if (times == NULL)
        exit(1);
    time_batch(kind, nbytes, calls);
    for (size_t i = 0; i < batches; i++)
        times[i] = time_batch(kind, nbytes, calls);
    snprintf(name, sizeof name, kind == 0 ? "%s_us" : "%s_%zu_us", names[kind], nbytes);
    if (library->rank == 0)
        bench_print(name, bench_summarise(times, batches));
    free(times);
}

void bench_coll_measure(const bench_coll_t *coll, int argc, char **argv)
{
    static const size_t sizes[] = {8, 4096, 65536, 1 << 20, MOST};
    static const size_t calls[] = {500, 200, 40, 4, 1};
    size_t batches = bench_argument(argc, argv, 1, 15);
    size_t factor = bench_argument(argc, argv, 2, 1);
    library = coll;
    size_t room = (size_t)MOST * (size_t)coll->size;
    src = bench_allocate(room, 0);
    dst = bench_allocate(room, 0);
    memset(src, 0, room);
    measure(0, 0, calls[0] * factor, batches);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int kind = 1; kind < KINDS; kind++)
            measure(kind, sizes[i], calls[i] * factor, batches);
    free(src);
    free(dst);
}
