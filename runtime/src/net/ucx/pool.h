/**
 * Send descriptors and their pools.
 *
 * A descriptor holds a message's header, and a short payload of our own, until UCX has sent them.
 * Each worker has pools of its own, used only by the thread that progresses the worker.
 */
#ifndef PGASI_NET_UCX_POOL_H
#define PGASI_NET_UCX_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "net/ucx/wire.h"

typedef struct pgasi_ucx_desc {
    struct pgasi_ucx_desc *next;
    struct pgasi_ucx_pool *pool;
    /** The receiver, for messages about failures; PGASI_UCX_NOBODY: not known. */
    uint32_t thread;
    pgasi_ucx_header_t header;
    /** As many bytes as the pool says. */
    unsigned char payload[];
} pgasi_ucx_desc_t;

/** The descriptors of one kind; starts with the size of their payload, and with a further counter
 *  of those that UCX is still sending, or NULL. */
typedef struct pgasi_ucx_pool {
    size_t payload_size;
    uint32_t *pending;
    /** Those that are not in use, and how many UCX is still sending. */
    pgasi_ucx_desc_t *first;
    uint32_t sending;
} pgasi_ucx_pool_t;

/** Allocates a descriptor of an empty pool. */
pgasi_ucx_desc_t *pgasi_ucx_desc_create(pgasi_ucx_pool_t *pool);

/** A descriptor whose header has the job's secret; the caller writes the rest of the header.
 * Posting gives it back. */
static inline pgasi_ucx_desc_t *pgasi_ucx_desc_alloc(pgasi_ucx_pool_t *pool, uint32_t thread)
{
    pgasi_ucx_desc_t *desc = pool->first;
    if (desc != NULL)
        pool->first = desc->next;
    else
        desc = pgasi_ucx_desc_create(pool);
    desc->thread = thread;
    desc->header.secret = pgasi_ucx_secret;
    return desc;
}

/** Gives a descriptor back to its pool. */
static inline void pgasi_ucx_desc_free(pgasi_ucx_desc_t *desc)
{
    desc->next = desc->pool->first;
    desc->pool->first = desc;
}

/** Frees a pool's descriptors. */
void pgasi_ucx_pool_free(pgasi_ucx_pool_t *pool);

#endif
