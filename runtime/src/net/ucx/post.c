#include "net/ucx/post.h"

#include <string.h>

#include <pgas/detail.h>

#include "net/ucx/endpoint.h"
#include "net/ucx/failure.h"
#include "net/ucx/initiator.h"

static void count_sending(pgasi_ucx_pool_t *pool, int by)
{
    pool->sending += (uint32_t)by;
    if (pool->pending != NULL)
        *pool->pending += (uint32_t)by;
}

static void on_sent(void *request, ucs_status_t status, void *user_data)
{
    pgasi_ucx_desc_t *desc = user_data;
    uint32_t thread = desc->thread;
    count_sending(desc->pool, -1);
    pgasi_ucx_desc_free(desc);
    ucp_request_free(request);
    if (status != UCS_OK)
        pgasi_ucx_lost(thread, "send", status);
}

static void post(ucp_ep_h ep, unsigned id, pgasi_ucx_desc_t *desc, size_t header_size,
                 const void *payload, size_t nbytes, unsigned flags)
{
    ucp_request_param_t param = {
        .op_attr_mask =
            UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS,
        .flags =
            flags | (nbytes > PGASI_UCX_EAGER_MAX ? UCP_AM_SEND_FLAG_RNDV : UCP_AM_SEND_FLAG_EAGER),
        .cb.send = on_sent,
        .user_data = desc,
    };
    ucs_status_ptr_t request =
        ucp_am_send_nbx(ep, id, &desc->header, header_size, payload, nbytes, &param);
    if (request == NULL)
        pgasi_ucx_desc_free(desc);
    else if (UCS_PTR_IS_ERR(request)) {
        pgasi_ucx_lost(desc->thread, "send", UCS_PTR_STATUS(request));
        pgasi_ucx_desc_free(desc);
    } else
        count_sending(desc->pool, 1);
}

void pgasi_ucx_post(ucp_ep_h ep, unsigned id, pgasi_ucx_desc_t *desc, size_t header_size,
                    const void *payload, size_t nbytes)
{
    post(ep, id, desc, header_size, payload, nbytes, 0);
}

void pgasi_ucx_post_request(ucp_ep_h ep, unsigned id, pgasi_ucx_desc_t *desc, size_t header_size,
                            const void *payload, size_t nbytes)
{
    post(ep, id, desc, header_size, payload, nbytes, UCP_AM_SEND_FLAG_REPLY);
}

static pgasi_ucx_desc_t *fill_call(uint32_t thread, uint64_t token, unsigned service,
                                   const void *bytes, size_t nbytes)
{
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pgasi_ucx_me->requests, thread);
    desc->header.call = (pgasi_ucx_call_t){
        .secret = pgasi_ucx_secret,
        .token = token,
        .source = pgasi_job.thread,
        .service = service,
    };
    if (nbytes > 0)
        memcpy(desc->payload, bytes, nbytes);
    return desc;
}

void pgasi_ucx_post_call(uint32_t thread, uint64_t token, unsigned service, const void *request,
                         size_t nbytes)
{
    pgasi_ucx_desc_t *desc = fill_call(thread, token, service, request, nbytes);
    pgasi_ucx_post_request(pgasi_ucx_endpoint(thread), PGASI_UCX_CALL, desc,
                           sizeof desc->header.call, desc->payload, nbytes);
}

void pgasi_ucx_post_direct(uint32_t thread, unsigned service, const void *message, size_t nbytes)
{
    pgasi_ucx_desc_t *desc = fill_call(thread, 0, service, message, nbytes);
    pgasi_ucx_post(pgasi_ucx_endpoint(thread), PGASI_UCX_MESSAGE, desc, sizeof desc->header.call,
                   desc->payload, nbytes);
}

bool pgasi_ucx_fetch(ucp_worker_h worker, void *data, void *buffer, size_t nbytes,
                     ucp_am_recv_data_nbx_callback_t done, void *user_data)
{
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb.recv_am = done,
        .user_data = user_data,
    };
    ucs_status_ptr_t request = ucp_am_recv_data_nbx(worker, data, buffer, nbytes, &param);
    if (UCS_PTR_IS_ERR(request))
        pgasi_ucx_lost(PGASI_UCX_NOBODY, "receive", UCS_PTR_STATUS(request));
    return request == NULL;
}
