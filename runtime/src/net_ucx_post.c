#include "net_ucx.h"

#include <stdlib.h>

pgasi_ucx_parcel_t *pgasi_ucx_parcel(pgasi_ucx_pool_t *pool, uint32_t thread)
{
    pgasi_ucx_parcel_t *parcel = pool->first;
    if (parcel != NULL) {
        pool->first = parcel->next;
    } else {
        parcel = malloc(sizeof *parcel + pool->payload_size);
        if (parcel == NULL)
            pgasi_fatal("network", "no memory for a message");
        parcel->pool = pool;
    }
    pool->in_use++;
    parcel->thread = thread;
    return parcel;
}

void pgasi_ucx_parcel_free(pgasi_ucx_parcel_t *parcel)
{
    parcel->pool->in_use--;
    parcel->next = parcel->pool->first;
    parcel->pool->first = parcel;
}

static void on_sent(void *request, ucs_status_t status, void *user_data)
{
    pgasi_ucx_parcel_t *parcel = user_data;
    uint32_t thread = parcel->thread;
    if (parcel->pool->sending != NULL)
        --*parcel->pool->sending;
    pgasi_ucx_parcel_free(parcel);
    ucp_request_free(request);
    if (status != UCS_OK)
        pgasi_ucx_lost(thread, "send", status);
}

void pgasi_ucx_post(ucp_ep_h ep, unsigned id, pgasi_ucx_parcel_t *parcel, size_t header_size,
                    const void *payload, size_t nbytes, unsigned flags)
{
    ucp_request_param_t param = {
        .op_attr_mask =
            UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS,
        .flags =
            flags | (nbytes > PGASI_UCX_EAGER_MAX ? UCP_AM_SEND_FLAG_RNDV : UCP_AM_SEND_FLAG_EAGER),
        .cb.send = on_sent,
        .user_data = parcel,
    };
    ucs_status_ptr_t request =
        ucp_am_send_nbx(ep, id, &parcel->header, header_size, payload, nbytes, &param);
    if (request == NULL)
        pgasi_ucx_parcel_free(parcel);
    else if (UCS_PTR_IS_ERR(request))
        pgasi_ucx_lost(parcel->thread, "send", UCS_PTR_STATUS(request));
    else if (parcel->pool->sending != NULL)
        ++*parcel->pool->sending;
}

ucs_status_t pgasi_ucx_accept(ucp_worker_h worker, unsigned id, ucp_am_recv_callback_t handler)
{
    ucp_am_handler_param_t param = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                      UCP_AM_HANDLER_PARAM_FIELD_CB,
        .id = id,
        .flags = UCP_AM_FLAG_WHOLE_MSG,
        .cb = handler,
    };
    return ucp_worker_set_am_recv_handler(worker, &param);
}

void pgasi_ucx_request(uint32_t thread, unsigned id, pgasi_ucx_parcel_t *parcel, size_t header_size,
                       const void *payload, size_t nbytes)
{
    pgasi_ucx_post(pgasi_ucx_endpoint(thread), id, parcel, header_size, payload, nbytes,
                   UCP_AM_SEND_FLAG_REPLY);
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
        pgasi_ucx_parcel_t *parcel = pool->first;
        pool->first = parcel->next;
        free(parcel);
    }
}
