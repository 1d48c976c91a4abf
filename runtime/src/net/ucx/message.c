#include "net/ucx/message.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "net/net.h"
#include "net/ucx/background.h"
#include "net/ucx/failure.h"
#include "net/ucx/initiator.h"
#include "net/ucx/outgoing.h"
#include "net/ucx/post.h"
#include "net/ucx/progress.h"
#include "net/ucx/progress_lock.h"
#include "net/ucx/worker.h"

void pgasi_net_send(uint32_t thread, pgasi_net_service_t service, const void *message,
                    size_t nbytes)
{
    pgasi_ucx_outgoing_t *outgoing = pgasi_ucx_outgoing_alloc(thread, message, nbytes, true);
    outgoing->header.call = (pgasi_ucx_call_t){
        .secret = pgasi_ucx_secret,
        .source = pgasi_job.thread,
        .service = service,
    };
    pgasi_ucx_outgoing_send(outgoing, PGASI_UCX_MESSAGE, sizeof outgoing->header.call);
}

void pgasi_net_send_put(pgas_ptr_t dst, const void *src, size_t nbytes, pgasi_net_service_t service,
                        const void *message, size_t size)
{
    pgasi_ucx_outgoing_t *outgoing = pgasi_ucx_outgoing_alloc(dst.thread, src, nbytes, false);
    pgasi_ucx_message_put_t *header = &outgoing->header.message_put;
    header->secret = pgasi_ucx_secret;
    header->offset = dst.offset;
    header->source = pgasi_job.thread;
    header->service = (uint16_t)service;
    header->nbytes = (uint16_t)size;
    memcpy(header->message, message, size);
    memset(header->message + size, 0, sizeof header->message - size);
    outgoing->is_whole = true;
    pgasi_ucx_outgoing_send(outgoing, PGASI_UCX_MESSAGE_PUT, sizeof *header);
}

static void on_flushed(void *request, ucs_status_t status, void *is_flushed)
{
    ucp_request_free(request);
    pgasi_ucx_me->awaited--;
    *(bool *)is_flushed = true;
    if (status != UCS_OK)
        pgasi_ucx_lost(PGASI_UCX_NOBODY, "flush", status);
}

static bool is_true(const void *flag)
{
    return *(const bool *)flag;
}

static bool has_sent(const void *unused)
{
    (void)unused;
    return pgasi_ucx_me->requests.sending + pgasi_ucx_me->buffers.sending == 0;
}

/* What UCX holds back, since a queue is full, has a request that is not complete; what a socket
 * took in part has not. The flush of a single endpoint would exchange messages with the target over
 * TCP; that of a worker looks first whether its sockets have taken everything. */
void pgasi_ucx_drain(pgasi_describe_t *describe)
{
    if (!has_sent(NULL))
        pgasi_ucx_wait(has_sent, NULL, 0, describe);
    bool is_flushed = false;
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb.send = on_flushed,
        .user_data = &is_flushed,
    };
    ucs_status_ptr_t request = ucp_worker_flush_nbx(pgasi_ucx_me->worker, &param);
    if (UCS_PTR_IS_ERR(request))
        pgasi_ucx_lost(PGASI_UCX_NOBODY, "flush", UCS_PTR_STATUS(request));
    if (request != NULL && !UCS_PTR_IS_ERR(request)) {
        pgasi_ucx_me->awaited++;
        pgasi_ucx_wait(is_true, &is_flushed, 0, describe);
    }
}

/* UCX has taken them, and their sockets, too. Only the holder of the progress lock can tell. */
static bool has_sent_all(const void *unused)
{
    (void)unused;
    return pgasi_ucx_progress_is_mine() && !pgasi_ucx_background_has_deferred() &&
           !pgasi_ucx_background_has_sent && pgasi_ucx_background_awaited == 0 &&
           pgasi_ucx_target_sending == 0;
}

static void describe_message(char *text, size_t size)
{
    snprintf(text, size, "a message to leave");
}

void pgasi_net_wait_sent(void)
{
    pgasi_ucx_wait(has_sent_all, NULL, 0, describe_message);
}

void pgasi_net_send_direct(uint32_t thread, pgasi_net_service_t service, const void *message,
                           size_t nbytes)
{
    pgasi_ucx_post_direct(thread, service, message, nbytes);
    pgasi_ucx_drain(describe_message);
}

/* In pieces that arrive whole, so that the receiver copies each once. */
void pgasi_net_put_event(pgas_ptr_t dst, const void *src, size_t nbytes, uint64_t event)
{
    size_t done = 0;
    do {
        size_t left = nbytes - done;
        size_t step = left < PGASI_NET_EVENT_PIECE ? left : PGASI_NET_EVENT_PIECE;
        const char *from = step > 0 ? (const char *)src + done : NULL;
        pgasi_ucx_outgoing_t *outgoing = pgasi_ucx_outgoing_alloc(dst.thread, from, step, false);
        outgoing->header.event = (pgasi_ucx_event_t){
            .secret = pgasi_ucx_secret,
            .offset = dst.offset + done,
            .event = event,
            .source = pgasi_job.thread,
        };
        pgasi_ucx_outgoing_send(outgoing, PGASI_UCX_EVENT, sizeof outgoing->header.event);
        done += step;
    } while (done < nbytes);
}
