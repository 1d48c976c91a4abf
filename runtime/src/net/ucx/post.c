#include "net/ucx/post.h"

#include <stdlib.h>

#include "net/ucx/ucx.h"

pgasi_ucx_desc_t *pgasi_ucx_desc_get(pgasi_ucx_pool_t *pool, uint32_t thread)
{
    pgasi_ucx_desc_t *desc = pool->first;
    if (desc != NULL) {
        pool->first = desc->next;
    } else {
        desc = malloc(sizeof *desc + pool->payload_size);
        if (desc == NULL)
            pgasi_fatal("network", "no memory for a message");
        desc->pool = pool;
    }
    desc->thread = thread;
    desc->header.secret = pgasi_ucx_secret;
    return desc;
}

void pgasi_ucx_desc_put(pgasi_ucx_desc_t *desc)
{
    desc->next = desc->pool->first;
    desc->pool->first = desc;
}

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
    pgasi_ucx_desc_put(desc);
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
        pgasi_ucx_desc_put(desc);
    else if (UCS_PTR_IS_ERR(request))
        pgasi_ucx_lost(desc->thread, "send", UCS_PTR_STATUS(request));
    else
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

ucs_status_t pgasi_ucx_accept(ucp_worker_h worker, unsigned id, ucp_am_recv_callback_t handler,
                              void *arg)
{
    ucp_am_handler_param_t param = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                      UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG,
        .id = id,
        .flags = UCP_AM_FLAG_WHOLE_MSG,
        .cb = handler,
        .arg = arg,
    };
    return ucp_worker_set_am_recv_handler(worker, &param);
}

static ucs_status_t refuse(void *arg, const void *header, size_t header_size, void *data,
                           size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)header;
    (void)header_size;
    (void)data;
    (void)nbytes;
    (void)param;
    pgasi_ucx_dropped("nobody here takes messages of its kind");
    return UCS_OK;
}

/* From the last one down: the table then has the size that it needs, and nothing beyond. UCX gives
 * it an even number of entries. */
ucs_status_t pgasi_ucx_refuse_all(ucp_worker_h worker)
{
    ucs_status_t status = UCS_OK;
    unsigned count = (PGASI_UCX_MESSAGES + 1) / 2 * 2;
    for (unsigned id = count; id > 0 && status == UCS_OK; id--)
        status = pgasi_ucx_accept(worker, id - 1, refuse, NULL);
    return status;
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

void pgasi_ucx_pool_free(pgasi_ucx_pool_t *pool)
{
    while (pool->first != NULL) {
        pgasi_ucx_desc_t *desc = pool->first;
        pool->first = desc->next;
        free(desc);
    }
}
