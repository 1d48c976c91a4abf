/**
 * A collective in flight for random tests: what it is, what this member sends, and what must come.
 */
#ifndef RUNTIME_TESTS_COLL_FLIGHT_H
#define RUNTIME_TESTS_COLL_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/async.h>
#include <pgas/team.h>

#include "coll_kind.h"
#include "team_shapes.h"

/** A collective of this member. */
typedef struct flight {
    bool is_used;
    bool is_implicit;
    pgas_handle_t handle;
    kind_t kind;
    pgas_team_t *team;
    int rank;
    int size;
    uint64_t seed;
    uint64_t round;
    size_t count;
    int root;
    uint64_t *src;
    uint64_t *dst;
    uint64_t *memory[4];
    /** In bytes: of what the member sends, and receives; and of a reduction's scatter, in elements.
     */
    size_t counts[2][MOST_THREADS];
    size_t displs[2][MOST_THREADS];
    size_t elements[MOST_THREADS];
} flight_t;

/** In the segment of each thread: the last round that it has started. */
extern pgas_ptr_t flight_started;

/** Maps x -> a x + b of numbers modulo 2^32, in the halves of a word: what the lower ranks have is
 *  applied last. Reductions and scans combine with it. */
uint64_t flight_compose(uint64_t low, uint64_t high);

/** Writes what the member sends, where kind, seed, team, count, root and buffers are known. */
void flight_prepare(flight_t *flight);

/** Checks what has come. */
void flight_check(const flight_t *flight);

#endif
