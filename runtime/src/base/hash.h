/**
 * A hash of words, for threads that compare what should be the same in all of them.
 */
#ifndef PGASI_BASE_HASH_H
#define PGASI_BASE_HASH_H

#include <stdint.h>

/** The hash of what `hash` is of, followed by `word`; a hash may begin with a word. */
static inline uint64_t pgasi_hash_add(uint64_t hash, uint64_t word)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash * factor ^ word) * factor;
    return hash ^ hash >> 29;
}

#endif
