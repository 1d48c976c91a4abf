#include "net/ucx/outgoing.h"

#include <stdatomic.h>

#include <pgas/detail.h>

#include "base/spare.h"
#include "net/ucx/endpoint.h"
#include "net/ucx/failure.h"
#include "net/ucx/progress.h"
#include "net/ucx/progress_thread.h"
#include "net/ucx/worker.h"

static pgasi_spare_t spare;

void pgasi_ucx_outgoing_finalize(void)
{
    pgasi_spare_finalize(&spare);
}

static void finish(pgasi_ucx_outgoing_t *outgoing)
{
    if (outgoing->under_way != NULL)
        atomic_fetch_sub_explicit(outgoing->under_way, 1, memory_order_relaxed);
    if (outgoing->is_sent != NULL)
        atomic_store_explicit(outgoing->is_sent, true, memory_order_release);
    pgasi_spare_free(&spare, outgoing);
}

static uint32_t *under_way_of(const pgasi_ucx_outgoing_t *outgoing)
{
    return outgoing->by_target ? &pgasi_ucx_target_sending : &pgasi_ucx_background_awaited;
}

static void on_sent(void *request, ucs_status_t status, void *user_data)
{
    pgasi_ucx_outgoing_t *outgoing = user_data;
    uint32_t thread = outgoing->thread;
    *under_way_of(outgoing) -= 1;
    finish(outgoing);
    ucp_request_free(request);
    if (status != UCS_OK)
        pgasi_ucx_lost(thread, "send", status);
}

/* A connection that the other one has made may take a while to be complete, and what is sent by it
 * meanwhile leaves when somebody progresses this one's target worker. */
static ucp_ep_h endpoint_for(pgasi_ucx_outgoing_t *outgoing)
{
    bool may_cross = pgasi_net_has_progress_thread();
    ucp_ep_h ep = may_cross ? pgasi_ucx_target_endpoint(outgoing->thread) : NULL;
    outgoing->by_target = ep != NULL;
    return ep != NULL ? ep : pgasi_ucx_background_endpoint(outgoing->thread);
}

static bool post_ready(const void *what)
{
    const pgasi_ucx_ready_t *ready = what;
    ucp_ep_h ep = pgasi_ucx_target_endpoint(ready->thread);
    if (ep == NULL)
        return false;
    bool tells_way = pgasi_ucx_target_tells_way(ready->thread);
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL,
        .flags = UCP_AM_SEND_FLAG_EAGER | (tells_way ? UCP_AM_SEND_FLAG_REPLY : 0),
    };
    ucs_status_ptr_t status =
        ucp_am_send_nbx(ep, ready->id, ready->header, ready->header_size, NULL, 0, &param);
    if (UCS_PTR_STATUS(status) == UCS_ERR_NO_RESOURCE)
        return false;
    if (status != NULL)
        pgasi_ucx_lost(ready->thread, "send", UCS_PTR_STATUS(status));
    else if (tells_way)
        pgasi_ucx_target_has_connected(ready->thread);
    return true;
}

bool pgasi_ucx_outgoing_try(const pgasi_ucx_ready_t *ready)
{
    return pgasi_net_has_progress_thread() && pgasi_ucx_background_try(post_ready, ready);
}

/* What is posted, or deferred: outgoing messages are not copied. */
typedef struct order {
    pgasi_ucx_outgoing_t *outgoing;
} order_t;

static void post(const void *what)
{
    pgasi_ucx_outgoing_t *outgoing = ((const order_t *)what)->outgoing;
    bool is_large = outgoing->nbytes > PGASI_UCX_EAGER_MAX && !outgoing->is_whole;
    ucp_ep_h ep = endpoint_for(outgoing);
    bool tells_way = outgoing->by_target && pgasi_ucx_target_tells_way(outgoing->thread);
    ucp_request_param_t param = {
        .op_attr_mask =
            UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS,
        .flags = (is_large ? UCP_AM_SEND_FLAG_RNDV : UCP_AM_SEND_FLAG_EAGER) |
                 (tells_way ? UCP_AM_SEND_FLAG_REPLY : 0),
        .cb.send = on_sent,
        .user_data = outgoing,
    };
    ucs_status_ptr_t request =
        ucp_am_send_nbx(ep, outgoing->id, &outgoing->header, outgoing->header_size,
                        outgoing->payload, outgoing->nbytes, &param);
    if (UCS_PTR_IS_ERR(request))
        pgasi_ucx_lost(outgoing->thread, "send", UCS_PTR_STATUS(request));
    else if (tells_way)
        pgasi_ucx_target_has_connected(outgoing->thread);
    if (request == NULL || UCS_PTR_IS_ERR(request))
        finish(outgoing);
    else
        *under_way_of(outgoing) += 1;
}

pgasi_ucx_outgoing_t *pgasi_ucx_outgoing_alloc(uint32_t thread, const void *payload, size_t nbytes,
                                               bool copies)
{
    pgasi_ucx_outgoing_t *outgoing =
        pgasi_spare_alloc(&spare, sizeof *outgoing + (copies ? nbytes : 0));
    if (outgoing == NULL)
        pgasi_fatal("network", "no memory for a message");
    outgoing->header.secret = pgasi_ucx_secret;
    outgoing->thread = thread;
    outgoing->payload = copies ? outgoing->copy : payload;
    outgoing->nbytes = nbytes;
    outgoing->is_sent = NULL;
    outgoing->is_whole = false;
    outgoing->by_target = false;
    outgoing->under_way = NULL;
    if (copies && payload != NULL && nbytes > 0)
        pgasi_copy(outgoing->copy, payload, nbytes);
    return outgoing;
}

void pgasi_ucx_outgoing_send(pgasi_ucx_outgoing_t *outgoing, unsigned id, size_t header_size)
{
    outgoing->id = id;
    outgoing->header_size = header_size;
    if (outgoing->under_way != NULL)
        atomic_fetch_add_explicit(outgoing->under_way, 1, memory_order_relaxed);
    const order_t order = {outgoing};
    pgasi_ucx_background_post(post, &order, sizeof order);
}
