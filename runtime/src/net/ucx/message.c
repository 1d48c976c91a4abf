#include "net/ucx/message.h"

#include <stddef.h>
#include <string.h>

#include "net/net.h"
#include "net/ucx/endpoint.h"
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
