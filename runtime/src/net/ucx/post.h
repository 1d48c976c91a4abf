/**
 * Messages on their way: send descriptors, their pools, and what UCX is told of them.
 *
 * A descriptor holds a message's header, and a short payload of our own, until UCX has sent them.
 * Each worker has pools of its own, used by who progresses the worker alone.
 */
#ifndef PGASI_NET_UCX_POST_H
#define PGASI_NET_UCX_POST_H

#include <ucp/api/ucp.h>

#include "net/ucx/wire.h"

typedef struct pgasi_ucx_desc {
    struct pgasi_ucx_desc *next;
    struct pgasi_ucx_pool *pool;
    /** Whom it is for, for messages about failures; PGASI_UCX_NOBODY: not known. */
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

/** A descriptor with a header of zeros but for the secret; pgasi_ucx_post gives it back. */
pgasi_ucx_desc_t *pgasi_ucx_desc_get(pgasi_ucx_pool_t *pool, uint32_t thread);

/** Gives a descriptor that is not posted back to its pool. */
void pgasi_ucx_desc_put(pgasi_ucx_desc_t *desc);

/** Sends a descriptor's header, and a payload of any length, which must stay until it is sent. */
void pgasi_ucx_post(ucp_ep_h ep, unsigned id, pgasi_ucx_desc_t *desc, size_t header_size,
                    const void *payload, size_t nbytes);

/** The same with a way back for a reply. */
void pgasi_ucx_post_request(ucp_ep_h ep, unsigned id, pgasi_ucx_desc_t *desc, size_t header_size,
                            const void *payload, size_t nbytes);

/** Makes a worker drop messages of all kinds. Before the next, for every worker: anybody may
 * connect to it, and UCX 1.13 takes what it finds beside the handlers that are set for handlers
 * too. */
ucs_status_t pgasi_ucx_refuse_all(ucp_worker_h worker);

/** Makes a worker hand messages of one kind to `handler`, with `arg`. */
ucs_status_t pgasi_ucx_accept(ucp_worker_h worker, unsigned id, ucp_am_recv_callback_t handler,
                              void *arg);

/** Receives the payload that `data` announces into `buffer`, for a message that UCX has not brought
 *  yet (UCP_AM_RECV_ATTR_FLAG_RNDV). True if it is there; else `done` is called later. */
bool pgasi_ucx_fetch(ucp_worker_h worker, void *data, void *buffer, size_t nbytes,
                     ucp_am_recv_data_nbx_callback_t done, void *user_data);

/** Frees a pool's descriptors. */
void pgasi_ucx_pool_free(pgasi_ucx_pool_t *pool);

#endif
