/**
 * The cost of moving values of x between two products: copying, packing, putting and unpacking
 * them, as v2 to v5 do it, all threads at once.
 *
 * Between two uses of a value a product reads the matrix. So each move is measured after a read of
 * other memory: of so much that only the thread's share of the last-level cache still holds the
 * values ("near"), and of twice that share, so that they come from memory ("far").
 */
#ifndef STREAM_VECTORS_H
#define STREAM_VECTORS_H

#include <pgas/pgas.h>
#include <stdbool.h>
#include <stdint.h>

#include "rates.h"

/** What is moved, and how. */
typedef enum stream_move {
    /** Own values to private memory. */
    STREAM_MOVE_COPY = 0,
    /** The same of another thread of the node, by pgas_memget; own ones if there is none. */
    STREAM_MOVE_COPY_OTHER,
    /** Packed values to that thread, by pgas_memput. */
    STREAM_MOVE_PUT,
    /** Own values to a buffer, by a list of consecutive ones, and of one in every line. */
    STREAM_MOVE_PACK,
    STREAM_MOVE_PACK_LINES,
    /** From a buffer to private memory, by such lists. */
    STREAM_MOVE_UNPACK,
    STREAM_MOVE_UNPACK_LINES,
    /** pgas_plan_begin of a plan that sends such values to both threads. */
    STREAM_MOVE_PLAN,
    STREAM_MOVE_PLAN_LINES,
    STREAM_MOVES
} stream_move_t;

enum {
    /** Near and far. */
    STREAM_MOVE_PLACES = 2,
    STREAM_MOVE_RATES = STREAM_MOVES * STREAM_MOVE_PLACES
};

typedef struct stream_vectors {
    reuse_caches_t caches;
    /** Values of a thread. */
    size_t count;
    pgas_array_t x;
    double *own_x;
    /** What others put here. */
    pgas_array_t landed;
    /** Private: this thread's values and those of the other one. */
    double *copy;
    double *buffer;
    /** Consecutive values, and one of every line. */
    uint32_t *indices[2];
    size_t index_count[2];
    pgas_plan_t *plans[2];
    /** Read between two moves. */
    double *other_memory;
    /** Of it, so much that the values are near. */
    size_t near_bytes;
    /** Raised with every move, so that old values are noticed. */
    double version;
    /** False once a wrong value was found. */
    bool right;
} stream_vectors_t;

/** Allocates vectors of `count` values, a multiple of 8, per thread, for products with matrices of
 *  `nbytes` each. Both sizes of caches are known. Collective. */
void stream_vectors_create(size_t count, size_t nbytes, reuse_caches_t caches,
                           stream_vectors_t *vectors);

/** Frees them. Collective. */
void stream_vectors_free(stream_vectors_t *vectors);

/** Measures all moves: seconds per value, the least of a few times, near and far by move. The
 *  slowest thread counts. Collective. */
void stream_vectors_measure(stream_vectors_t *vectors, double seconds[STREAM_MOVE_RATES]);

/** The name of a rate. */
const char *stream_move_name(int rate);

/** True if all values on all threads were right. Collective. */
bool stream_vectors_check(const stream_vectors_t *vectors);

#endif
