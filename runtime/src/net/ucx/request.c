#include "net/ucx/request.h"

#include <string.h>

#include "net/net.h"
#include "net/ucx/endpoint.h"
#include "net/ucx/failure.h"
#include "net/ucx/post.h"
#include "net/ucx/worker.h"

pgasi_ucx_pool_t pgasi_ucx_replies = {.payload_size = PGASI_NET_MESSAGE_MAX,
                                      .pending = &pgasi_ucx_target_sending};

ucs_status_t pgasi_ucx_drop(const char *why)
{
    pgasi_ucx_dropped(why);
    return UCS_OK;
}

void pgasi_ucx_note_way_back(uint32_t source, const ucp_am_recv_param_t *param)
{
    if (pgasi_ucx_wants_reply(param))
        pgasi_ucx_target_has_connected(source);
}

void pgasi_ucx_reply(const ucp_am_recv_param_t *param, uint64_t token, uint64_t at,
                     pgasi_ucx_desc_t *desc, const void *payload, size_t nbytes)
{
    desc->header.reply = (pgasi_ucx_reply_t){.secret = pgasi_ucx_secret, .token = token, .at = at};
    pgasi_ucx_post(param->reply_ep, PGASI_UCX_REPLY, desc, sizeof desc->header.reply, payload,
                   nbytes);
}

void pgasi_ucx_reply_copied(const ucp_am_recv_param_t *param, uint64_t token, const void *payload,
                            size_t nbytes)
{
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pgasi_ucx_replies, PGASI_UCX_NOBODY);
    memcpy(desc->payload, payload, nbytes);
    pgasi_ucx_reply(param, token, 0, desc, desc->payload, nbytes);
}

void pgasi_ucx_replies_finalize(void)
{
    pgasi_ucx_pool_free(&pgasi_ucx_replies);
}
