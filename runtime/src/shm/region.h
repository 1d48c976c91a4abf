/**
 * An allocator for a range of offsets, with its state in the memory it manages.
 *
 * Offsets count from an address that the caller passes to every call, so that processes which map
 * the memory at different addresses can share a region. A free block is found through lists by
 * power of two; neighbours are merged when freed. Not thread-safe: the caller holds a lock.
 */
#ifndef PGASI_SHM_REGION_H
#define PGASI_SHM_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Allocations are multiples of this, aligned to it, and preceded by a tag of this size. */
#define PGASI_REGION_UNIT ((uint64_t)64)

#define PGASI_REGION_BINS 64

typedef struct pgasi_region {
    /** The range: [begin, end). */
    uint64_t begin;
    uint64_t end;
    /** Bit b is set when bins[b] is not empty; bins[b] lists free blocks of 2^b to 2^(b+1)-1 bytes.
     */
    uint64_t occupied;
    uint64_t bins[PGASI_REGION_BINS];
} pgasi_region_t;

/** Makes all of [begin, end) one free block. Both are multiples of PGASI_REGION_UNIT, begin > 0. */
void pgasi_region_init(pgasi_region_t *region, char *base, uint64_t begin, uint64_t end);

/**
 * Allocates at least `nbytes` (> 0) at a multiple of `alignment`, a power of two of at least
 * PGASI_REGION_UNIT. Returns the offset, 0 if no block is large enough; `*taken` gets the bytes
 * taken from the region, tag included.
 */
uint64_t pgasi_region_alloc(pgasi_region_t *region, char *base, uint64_t nbytes, uint64_t alignment,
                            uint64_t *taken);

/** What an allocation of `nbytes` bytes takes from the region, tag included; UINT64_MAX, more than
 *  any region has, if that overflows. */
uint64_t pgasi_region_cost(uint64_t nbytes);

/** True if `offset` is an allocation of this region that is neither retired nor freed. */
bool pgasi_region_owns(const pgasi_region_t *region, const char *base, uint64_t offset);

/** Calls `visit` with each free block of `least` bytes and more, without its tag; false, and no
 * call, if there are more than `most`. */
bool pgasi_region_visit_free(const pgasi_region_t *region, const char *base, uint64_t least,
                             uint64_t most,
                             void (*visit)(void *argument, uint64_t begin, uint64_t end),
                             void *argument);

/** Finds the allocation whose memory, [*begin, *end), contains `offset`. False if there is none.
 *  Visits all blocks before it: for checks. */
bool pgasi_region_find(const pgasi_region_t *region, const char *base, uint64_t offset,
                       uint64_t *begin, uint64_t *end);

/** Retires an allocation: only the caller can free it now, and its memory is not allocated again
 *  before pgasi_region_free. False if it is not owned. `*taken` as there. */
bool pgasi_region_retire(const pgasi_region_t *region, char *base, uint64_t offset,
                         uint64_t *taken);

/** A range of offsets, tags included. */
typedef struct pgasi_region_block {
    uint64_t begin;
    uint64_t end;
} pgasi_region_block_t;

/** Frees an allocation, retired or not; `*taken` gets the bytes that return to the region, as
 *  counted by pgasi_region_alloc. Returns the free block that it is now a part of, which begins
 *  with a tag; allocations are taken from the begin of free blocks. */
pgasi_region_block_t pgasi_region_free(pgasi_region_t *region, char *base, uint64_t offset,
                                       uint64_t *taken);

#endif
