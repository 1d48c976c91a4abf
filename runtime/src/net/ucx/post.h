/**
 * Sends messages and receives large payloads, without waiting for either.
 */
#ifndef PGASI_NET_UCX_POST_H
#define PGASI_NET_UCX_POST_H

#include <stdbool.h>
#include <stddef.h>

#include <ucp/api/ucp.h>

#include "net/ucx/pool.h"

/** Sends a descriptor's header, and a payload of any length, which must stay until it is sent. */
void pgasi_ucx_post(ucp_ep_h ep, unsigned id, pgasi_ucx_desc_t *desc, size_t header_size,
                    const void *payload, size_t nbytes);

/** Sends as pgasi_ucx_post, with an endpoint for the reply. */
void pgasi_ucx_post_request(ucp_ep_h ep, unsigned id, pgasi_ucx_desc_t *desc, size_t header_size,
                            const void *payload, size_t nbytes);

/** Sends a thread's service a request of up to PGASI_NET_MESSAGE_MAX bytes, which are copied; the
 *  reply completes the operation of `token`. For an agent. */
void pgasi_ucx_post_call(uint32_t thread, uint64_t token, unsigned service, const void *request,
                         size_t nbytes);

/** Sends a thread's service a message, by the connection of the calls. For an agent. */
void pgasi_ucx_post_direct(uint32_t thread, unsigned service, const void *message, size_t nbytes);

/** Receives the payload that `data` announces into `buffer`, for a message whose payload UCX has
 * not received yet (UCP_AM_RECV_ATTR_FLAG_RNDV). True if it is there; else `done` is called later.
 */
bool pgasi_ucx_fetch(ucp_worker_h worker, void *data, void *buffer, size_t nbytes,
                     ucp_am_recv_data_nbx_callback_t done, void *user_data);

#endif
