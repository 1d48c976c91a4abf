/**
 * Checks requests and replies to them, at the target. Nothing of a request is believed before it is
 * checked: the secret first (pgasi_ucx_open), then places against the segment, numbers against the
 * tables.
 */
#ifndef PGASI_NET_UCX_REQUEST_H
#define PGASI_NET_UCX_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ucp/api/ucp.h>

#include <pgas/detail.h>

#include "net/ucx/pool.h"
#include "node/segment.h"
#include "shm/word.h"

/** Whether `nbytes` bytes at `offset` lie in a segment. */
static inline bool pgasi_ucx_is_in_segment(uint64_t offset, uint64_t nbytes)
{
    uint64_t size = pgasi_node_memory.stride;
    return nbytes <= size && offset <= size - nbytes;
}

/** The address of `offset` in the calling thread's segment. */
static inline char *pgasi_ucx_segment_at(uint64_t offset)
{
    return pgasi_job.peers[pgasi_job.thread].base + offset;
}

/** The address of the word at `offset`, on which `op` of `type` can be executed; NULL if not. */
static inline void *pgasi_ucx_word_at(uint32_t op, uint32_t type, uint64_t offset)
{
    if (!pgasi_word_allows(op, type))
        return NULL;
    size_t nbytes = pgasi_size_of_type((pgas_type_t)type);
    bool is_word = offset % nbytes == 0 && pgasi_ucx_is_in_segment(offset, nbytes);
    return is_word ? pgasi_ucx_segment_at(offset) : NULL;
}

/** Whether the message came with an endpoint for the reply. */
static inline bool pgasi_ucx_wants_reply(const ucp_am_recv_param_t *param)
{
    return (param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) != 0;
}

/** Whether the message only announces its payload (pgasi_ucx_fetch). */
static inline bool pgasi_ucx_is_announced(const ucp_am_recv_param_t *param)
{
    return (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;
}

/** Notes whether a one-way message of thread `source` has come by its target worker: it says so by
 *  asking for an endpoint for the reply. The number has been checked. */
void pgasi_ucx_note_way_back(uint32_t source, const ucp_am_recv_param_t *param);

/** Reports that a message is dropped; returns UCS_OK. */
ucs_status_t pgasi_ucx_drop(const char *why);

/** Descriptors of replies, with a payload of PGASI_NET_MESSAGE_MAX bytes. */
extern pgasi_ucx_pool_t pgasi_ucx_replies;

/** Replies to the request of `token` with the bytes of place `at` of what it wants; `payload` must
 *  stay until it is sent. */
void pgasi_ucx_reply(const ucp_am_recv_param_t *param, uint64_t token, uint64_t at,
                     pgasi_ucx_desc_t *desc, const void *payload, size_t nbytes);

/** Replies with a copy of up to PGASI_NET_MESSAGE_MAX bytes. */
void pgasi_ucx_reply_copied(const ucp_am_recv_param_t *param, uint64_t token, const void *payload,
                            size_t nbytes);

/** Frees the descriptors. */
void pgasi_ucx_replies_finalize(void);

#endif
