/**
 * Bytes by which a test of collectives tells whose they are, whose they are for, of which call, by
 * its seed, and where in the block of `nbytes` bytes.
 */
#ifndef RUNTIME_TESTS_COLL_CALL_BYTES_H
#define RUNTIME_TESTS_COLL_CALL_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "check.h"

/** The byte i of what `from` has for `to`. */
static inline unsigned char call_byte(uint64_t seed, int from, int to, size_t i)
{
    return (unsigned char)(seed + (uint64_t)from * 31 + (uint64_t)to * 57 + i * 7 + i / 251);
}

static inline void call_bytes_fill(unsigned char *block, size_t nbytes, uint64_t seed, int from,
                                   int to)
{
    for (size_t i = 0; i < nbytes; i++)
        block[i] = call_byte(seed, from, to, i);
}

static inline void call_bytes_check(const unsigned char *block, size_t nbytes, uint64_t seed,
                                    int from, int to)
{
    for (size_t i = 0; i < nbytes; i++)
        CHECK(block[i] == call_byte(seed, from, to, i));
}

/** The sum of the bytes that ranks up to `last` have for rank 0. */
static inline void call_bytes_check_sum(const unsigned char *block, size_t nbytes, uint64_t seed,
                                        int last)
{
    for (size_t i = 0; i < nbytes; i++) {
        unsigned char sum = 0;
        for (int from = 0; from <= last; from++)
            sum = (unsigned char)(sum + call_byte(seed, from, 0, i));
        CHECK(block[i] == sum);
    }
}

#endif
