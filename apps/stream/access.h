/**
 * The cost of single accesses through the global address space.
 */
#ifndef STREAM_ACCESS_H
#define STREAM_ACCESS_H

#include <pgas/pgas.h>
#include <stddef.h>
#include <stdint.h>

/** Listing 6: random reads of elements that other threads own. */
typedef struct stream_reads {
    /** One block per thread. */
    pgas_array_t v;
    /** Random indexes of elements that threads of one place own. */
    uint64_t *indices;
    size_t index_count;
    /** Iterations per measurement. */
    size_t turns;
} stream_reads_t;

/**
 * Allocates an array of `elements` per thread and `index_count` (a power of two) random indexes
 * into the first 2^32 elements of the parts of `place`'s threads. Every element holds its index.
 * Collective. Ends the job if a thread has no partner there.
 */
void stream_reads_create(pgas_place_t place, size_t elements, size_t index_count,
                         stream_reads_t *reads);

/** Frees it. Collective. */
void stream_reads_free(stream_reads_t *reads);

/** Chooses the turns so that a measurement takes `seconds`. Collective. */
void stream_reads_fit(stream_reads_t *reads, double seconds);

/** Seconds of one read, all threads reading at once, less the traversal of the index array.
 *  Collective. */
double stream_reads_measure(stream_reads_t *reads);

/** True if every index, read once more, reads the element it names. Collective. */
bool stream_reads_check(const stream_reads_t *reads);

/** The cost of the global address space for a program that only accesses its own memory. */
typedef struct stream_pointers {
    pgas_array_t x;
    uint32_t *indices;
    /** The same places, relative to the own part. */
    uint32_t *own_indices;
    double *factors;
    double *sums;
    size_t global_turns;
    size_t plain_turns;
    size_t affinity_turns;
    /** A product by plain pointers, from the last stream_pointers_measure. */
    double product_seconds;
} stream_pointers_t;

/** Allocates rows of random own elements which fit into the first-level cache. Collective. */
void stream_pointers_create(stream_pointers_t *pointers);

/** Frees them. Collective. */
void stream_pointers_free(stream_pointers_t *pointers);

/** Chooses the turns so that a measurement takes `seconds`. Collective. */
void stream_pointers_fit(stream_pointers_t *pointers, double seconds);

/** Seconds by which a PGAS_GET of an own element takes longer than a load by a plain pointer: rows
 *  of 16 products, factor times element, as a sparse matrix has them, all threads at once.
 *  Collective. */
double stream_pointers_measure(stream_pointers_t *pointers);

/** Seconds of a pgas_memget of a cache line of own elements in the first-level cache, by its global
 *  address: what every block of v2 costs beyond its bytes. Collective. */
double stream_blocks_measure(stream_pointers_t *pointers);

/** Seconds of an iteration of PGAS_FORALL by an element's address whose body is not executed.
 *  Collective; for jobs of several threads. */
double stream_affinity_measure(stream_pointers_t *pointers);

#endif
