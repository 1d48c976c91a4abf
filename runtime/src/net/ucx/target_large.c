#include "net/ucx/target_large.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <pgas/attach.h>
#include <pgas/detail.h>

#include "net/ucx/endpoint.h"
#include "net/ucx/failure.h"
#include "net/ucx/post.h"
#include "net/ucx/request.h"
#include "net/ucx/target_put.h"
#include "net/ucx/worker.h"

/* What leaves by the background worker, headers only. */
static pgasi_ucx_pool_t background = {.pending = &pgasi_ucx_background_awaited};

void pgasi_ucx_target_large_finalize(void)
{
    pgasi_ucx_pool_free(&background);
}

/* A put whose bytes are still to come. */
typedef struct incoming {
    pgasi_ucx_large_put_t put;
    /* NULL for a forwarded one, whose initiator gets a message of its own. */
    ucp_ep_h reply_to;
} incoming_t;

/* The payload is in place: signals may wait for it. */
static void confirm(const pgasi_ucx_large_put_t *put, ucp_ep_h reply_to)
{
    if (put->number != 0)
        pgasi_ucx_target_put_arrived(put->initiator, put->agent, put->number);
    pgasi_ucx_desc_t *desc =
        pgasi_ucx_desc_alloc(reply_to != NULL ? &pgasi_ucx_replies : &background, put->initiator);
    desc->header.reply = (pgasi_ucx_reply_t){.secret = pgasi_ucx_secret, .token = put->token};
    atomic_thread_fence(memory_order_seq_cst);
    if (reply_to != NULL)
        pgasi_ucx_post(reply_to, PGASI_UCX_REPLY, desc, sizeof desc->header.reply, NULL, 0);
    else
        pgasi_ucx_post(pgasi_ucx_background_endpoint(put->initiator), PGASI_UCX_DONE, desc,
                       sizeof desc->header.reply, NULL, 0);
}

static void on_arrived(void *request, ucs_status_t status, size_t nbytes, void *user_data)
{
    (void)nbytes;
    incoming_t incoming = *(incoming_t *)user_data;
    free(user_data);
    ucp_request_free(request);
    if (status != UCS_OK)
        pgasi_ucx_lost(incoming.put.initiator, "receive", status);
    else
        confirm(&incoming.put, incoming.reply_to);
}

static ucs_status_t receive(const pgasi_ucx_large_put_t *put, ucp_ep_h reply_to, void *data,
                            size_t nbytes, const ucp_am_recv_param_t *param)
{
    if (put->initiator >= pgasi_job.threads || put->agent > PGAS_ATTACHED_MAX ||
        !pgasi_ucx_is_in_segment(put->offset, nbytes))
        return pgasi_ucx_drop("a put to nowhere");
    if (!pgasi_ucx_is_announced(param)) {
        pgasi_copy(pgasi_ucx_segment_at(put->offset), data, nbytes);
        confirm(put, reply_to);
        return UCS_OK;
    }
    incoming_t *incoming = malloc(sizeof *incoming);
    if (incoming == NULL)
        pgasi_fatal("network", "no memory for a transfer");
    *incoming = (incoming_t){.put = *put, .reply_to = reply_to};
    if (pgasi_ucx_fetch(pgasi_ucx_target, data, pgasi_ucx_segment_at(put->offset), nbytes,
                        on_arrived, incoming)) {
        free(incoming);
        confirm(put, reply_to);
    }
    return UCS_INPROGRESS;
}

static ucs_status_t serve_large_put(void *arg, const void *header, size_t header_size, void *data,
                                    size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_large_put_t put;
    if (!pgasi_ucx_open(header, header_size, &put, sizeof put))
        return UCS_OK;
    if (!pgasi_ucx_wants_reply(param))
        return pgasi_ucx_drop("a put without a way back");
    return receive(&put, param->reply_ep, data, nbytes, param);
}

static ucs_status_t serve_forward(void *arg, const void *header, size_t header_size, void *data,
                                  size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_large_put_t put;
    if (!pgasi_ucx_open(header, header_size, &put, sizeof put))
        return UCS_OK;
    return receive(&put, NULL, data, nbytes, param);
}

/* From here to a thread of another node, which tells the initiator. */
static void forward(const pgasi_ucx_copy_t *copy)
{
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&background, copy->thread);
    desc->header.large_put = (pgasi_ucx_large_put_t){
        .secret = pgasi_ucx_secret,
        .token = copy->token,
        .offset = copy->to,
        .initiator = copy->initiator,
    };
    pgasi_ucx_post(pgasi_ucx_background_endpoint(copy->thread), PGASI_UCX_FORWARD, desc,
                   sizeof desc->header.large_put, pgasi_ucx_segment_at(copy->from), copy->nbytes);
}

static ucs_status_t serve_copy(void *arg, const void *header, size_t header_size, void *data,
                               size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)data;
    (void)nbytes;
    pgasi_ucx_copy_t copy;
    if (!pgasi_ucx_open(header, header_size, &copy, sizeof copy))
        return UCS_OK;
    if (copy.thread >= pgasi_job.threads || copy.initiator >= pgasi_job.threads ||
        !pgasi_ucx_is_in_segment(copy.from, copy.nbytes) ||
        !pgasi_ucx_is_in_segment(copy.to, copy.nbytes) || !pgasi_ucx_wants_reply(param))
        return pgasi_ucx_drop("a copy from or to nowhere");
    char *base = pgasi_job.peers[copy.thread].base;
    if (base == NULL) {
        forward(&copy);
        return UCS_OK;
    }
    pgasi_copy(base + copy.to, pgasi_ucx_segment_at(copy.from), copy.nbytes);
    const pgasi_ucx_large_put_t done = {.token = copy.token, .initiator = copy.initiator};
    confirm(&done, param->reply_ep);
    return UCS_OK;
}

ucs_status_t pgasi_ucx_target_large_start(void)
{
    ucs_status_t status =
        pgasi_ucx_accept(pgasi_ucx_target, PGASI_UCX_LARGE_PUT, serve_large_put, NULL);
    if (status == UCS_OK)
        status = pgasi_ucx_accept(pgasi_ucx_target, PGASI_UCX_FORWARD, serve_forward, NULL);
    if (status == UCS_OK)
        status = pgasi_ucx_accept(pgasi_ucx_target, PGASI_UCX_COPY, serve_copy, NULL);
    return status;
}
