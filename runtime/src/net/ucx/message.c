#include "net/ucx/message.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "net/net.h"
#include "net/ucx/endpoint.h"
#include "net/ucx/failure.h"
#include "net/ucx/initiator.h"
#include "net/ucx/post.h"
#include "net/ucx/progress.h"
#include "net/ucx/worker.h"

static pgasi_ucx_pool_t messages = {.payload_size = PGASI_NET_MESSAGE_MAX,
                                    .pending = &pgasi_ucx_background_awaited};

void pgasi_ucx_message_finalize(void)
{
    pgasi_ucx_pool_free(&messages);
}

typedef struct message {
    uint32_t thread;
    uint32_t service;
    size_t nbytes;
    unsigned char bytes[PGASI_NET_MESSAGE_MAX];
} message_t;

static void post_message(const void *what)
{
    const message_t *message = what;
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&messages, message->thread);
    desc->header.call = (pgasi_ucx_call_t){
        .secret = pgasi_ucx_secret,
        .source = pgasi_job.thread,
        .service = message->service,
    };
    memcpy(desc->payload, message->bytes, message->nbytes);
    pgasi_ucx_post(pgasi_ucx_background_endpoint(message->thread), PGASI_UCX_MESSAGE, desc,
                   sizeof desc->header.call, desc->payload, message->nbytes);
}

void pgasi_net_send(uint32_t thread, pgasi_net_service_t service, const void *message,
                    size_t nbytes)
{
    message_t what = {.thread = thread, .service = service, .nbytes = nbytes};
    memcpy(what.bytes, message, nbytes);
    pgasi_ucx_background_post(post_message, &what, offsetof(message_t, bytes) + nbytes);
}

typedef struct message_put {
    pgas_ptr_t dst;
    const void *src;
    size_t nbytes;
    pgasi_ucx_message_put_t header;
} message_put_t;

static void post_put(const void *what)
{
    const message_put_t *put = what;
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&messages, put->dst.thread);
    desc->header.message_put = put->header;
    pgasi_ucx_post_whole(pgasi_ucx_background_endpoint(put->dst.thread), PGASI_UCX_MESSAGE_PUT,
                         desc, sizeof desc->header.message_put, put->src, put->nbytes);
}

void pgasi_net_send_put(pgas_ptr_t dst, const void *src, size_t nbytes, pgasi_net_service_t service,
                        const void *message, size_t size)
{
    message_put_t put = {
        .dst = dst,
        .src = src,
        .nbytes = nbytes,
        .header = {.secret = pgasi_ucx_secret,
                   .offset = dst.offset,
                   .source = pgasi_job.thread,
                   .service = (uint16_t)service,
                   .nbytes = (uint16_t)size},
    };
    memcpy(put.header.message, message, size);
    pgasi_ucx_background_post(post_put, &put, sizeof put);
}

static void on_flushed(void *request, ucs_status_t status, void *is_flushed)
{
    ucp_request_free(request);
    pgasi_ucx_me->awaited--;
    if (status == UCS_OK)
        *(bool *)is_flushed = true;
    else
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

static void describe_message(char *text, size_t size)
{
    snprintf(text, size, "a message to leave");
}

void pgasi_net_send_direct(uint32_t thread, pgasi_net_service_t service, const void *message,
                           size_t nbytes)
{
    pgasi_ucx_post_direct(thread, service, message, nbytes);
    pgasi_ucx_drain(describe_message);
}

typedef struct event_put {
    pgas_ptr_t dst;
    const char *src;
    size_t nbytes;
    uint64_t event;
} event_put_t;

/* In pieces that arrive whole, so that the receiver copies each once. */
static void post_event(const void *what)
{
    const event_put_t *put = what;
    uint32_t thread = put->dst.thread;
    size_t done = 0;
    do {
        size_t left = put->nbytes - done;
        size_t step = left < PGASI_NET_EVENT_PIECE ? left : PGASI_NET_EVENT_PIECE;
        pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&messages, thread);
        desc->header.event = (pgasi_ucx_event_t){
            .secret = pgasi_ucx_secret,
            .offset = put->dst.offset + done,
            .event = put->event,
        };
        pgasi_ucx_post(pgasi_ucx_background_endpoint(thread), PGASI_UCX_EVENT, desc,
                       sizeof desc->header.event, step > 0 ? put->src + done : NULL, step);
        done += step;
    } while (done < put->nbytes);
}

void pgasi_net_put_event(pgas_ptr_t dst, const void *src, size_t nbytes, uint64_t event)
{
    const event_put_t put = {dst, src, nbytes, event};
    pgasi_ucx_background_post(post_event, &put, sizeof put);
}
