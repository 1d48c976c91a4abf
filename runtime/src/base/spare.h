/**
 * Blocks of memory that come and go one after the other, tens of KiB each. The C library may give
 * such a block back to the system each time, and the next one costs its page faults again; so the
 * last one stays for the next. From any thread.
 */
#ifndef PGASI_BASE_SPARE_H
#define PGASI_BASE_SPARE_H

#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum {
    /** Smaller blocks the C library keeps. */
    PGASI_SPARE_MIN = 8192,
    PGASI_SPARE_MAX = 128 << 10
};

/** Starts as zeros. */
typedef struct pgasi_spare {
    void *_Atomic block;
} pgasi_spare_t;

/** As malloc: takes the block that was kept, if it is large enough. */
static inline void *pgasi_spare_alloc(pgasi_spare_t *spare, size_t nbytes)
{
    if (nbytes < PGASI_SPARE_MIN || nbytes > PGASI_SPARE_MAX)
        return malloc(nbytes);
    void *block = atomic_exchange_explicit(&spare->block, NULL, memory_order_acquire);
    if (block != NULL && malloc_usable_size(block) >= nbytes)
        return block;
    free(block);
    return malloc(nbytes);
}

/** As free: keeps the block instead of the one that is kept, which is freed. */
static inline void pgasi_spare_free(pgasi_spare_t *spare, void *block)
{
    size_t size = block == NULL ? 0 : malloc_usable_size(block);
    if (size >= PGASI_SPARE_MIN && size <= PGASI_SPARE_MAX)
        block = atomic_exchange_explicit(&spare->block, block, memory_order_acq_rel);
    free(block);
}

/** Frees what is kept. */
static inline void pgasi_spare_finalize(pgasi_spare_t *spare)
{
    free(atomic_exchange(&spare->block, NULL));
}

#endif
