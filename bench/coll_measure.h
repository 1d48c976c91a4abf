/**
 * Collectives of several libraries, measured alike.
 */
#ifndef BENCH_COLL_MEASURE_H
#define BENCH_COLL_MEASURE_H

#include <stddef.h>

/** What each library's program defines: its collectives on private memory, the first as a barrier.
 *  Each sends `nbytes` bytes, a multiple of 8: the all-to-all to each member, the reductions as
 *  doubles that are added up. */
typedef struct bench_coll {
    void (*barrier)(void);
    void (*broadcast)(void *data, size_t nbytes, int root);
    /* To one root; NULL where a library has none. */
    void (*reduce)(const double *src, double *dst, size_t nbytes, int root);
    void (*allreduce)(const double *src, double *dst, size_t nbytes);
    void (*allgather)(const void *src, void *dst, size_t nbytes);
    void (*alltoall)(const void *src, void *dst, size_t nbytes);
    /* Memory that all of them may use, zeroed or not; NULL for bench_allocate. */
    void *(*allocate)(size_t nbytes);
    int rank;
    int size;
} bench_coll_t;

/** Times all of them, of 8 B, 4 KiB, 64 KiB, 1 MiB and 16 MiB, the all-to-all up to 1 MiB; rank 0
 *  prints "NAME_SIZE_us median min max" lines. Ends the process with a line if a reduction to one
 *  root or to all has another result than the sum. The arguments of the program are BATCHES
 *  (default 15) and the milliseconds that a batch should take at most (default 1000): it has fewer
 *  calls, one at least, where calls are slow. */
void bench_coll_measure(const bench_coll_t *coll, int argc, char **argv);

#endif
