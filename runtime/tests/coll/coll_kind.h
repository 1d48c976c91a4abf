/**
 * The collectives that random tests start, and the words that members send in them.
 */
#ifndef RUNTIME_TESTS_COLL_COLL_KIND_H
#define RUNTIME_TESTS_COLL_COLL_KIND_H

#include <stddef.h>
#include <stdint.h>

#include "random.h"

typedef enum kind {
    BARRIER,
    BROADCAST,
    SCATTER,
    SCATTERV,
    GATHER,
    GATHERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER,
    INCLUSIVE,
    EXCLUSIVE,
    KINDS
} kind_t;

/** The i-th word that `from` sends to `to` in the collective of that seed. */
static inline uint64_t coll_word(uint64_t seed, int from, int to, size_t i)
{
    uint64_t state = seed + (uint64_t)from * 1000003 + (uint64_t)to * 7919 + i * 0x9e3779b9;
    return random_next(&state);
}

#endif
