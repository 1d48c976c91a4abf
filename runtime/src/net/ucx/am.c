#include "net/ucx/am.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <pgas/detail.h>

#include "net/net.h"
#include "net/ucx/am_bundle.h"
#include "net/ucx/am_client.h"
#include "net/ucx/background.h"
#include "net/ucx/failure.h"
#include "net/ucx/initiator.h"
#include "net/ucx/outgoing.h"
#include "net/ucx/post.h"
#include "net/ucx/progress.h"
#include "net/ucx/progress_lock.h"
#include "net/ucx/request.h"
#include "net/ucx/wire.h"
#include "net/ucx/worker.h"
#include "node/memory.h"

_Static_assert(PGASI_NET_AM_COPIED == PGASI_UCX_EAGER_MAX, "what UCX sends at once is copied");

/* By thread: the endpoint that its requests have come with. Under the progress lock. */
static ucp_ep_h *ways_back;

bool pgasi_ucx_am_init(void)
{
    ways_back = calloc(pgasi_job.threads, sizeof(ucp_ep_h));
    return ways_back != NULL && pgasi_ucx_am_bundle_init();
}

void pgasi_ucx_am_finalize(void)
{
    pgasi_ucx_am_bundle_finalize();
    free((void *)ways_back);
    ways_back = NULL;
}

static bool is_true(const void *flag)
{
    return atomic_load_explicit((const _Atomic bool *)flag, memory_order_acquire);
}

void pgasi_net_am_send(uint32_t thread, const pgasi_net_am_t *am, const void *payload,
                       size_t nbytes, bool waits)
{
    const ucp_ep_h *reply_to = am->is_reply != 0 ? &ways_back[thread] : NULL;
    if (nbytes == 0 && am->is_placed == 0 && pgasi_ucx_am_bundle_add(thread, am, reply_to))
        return;
    bool is_copied = nbytes <= PGASI_UCX_EAGER_MAX;
    bool must_wait = waits && !is_copied;
    _Atomic bool is_sent = false;
    pgasi_ucx_outgoing_t *outgoing = pgasi_ucx_outgoing_alloc(thread, payload, nbytes, is_copied);
    pgasi_net_am_copy(&outgoing->header.am.am, am);
    outgoing->reply_to = reply_to;
    outgoing->credits = reply_to == NULL ? am->credits : 0;
    outgoing->is_sent = must_wait ? &is_sent : NULL;
    pgasi_ucx_outgoing_send(outgoing, PGASI_UCX_AM, pgasi_ucx_am_size(am->nargs));
    if (must_wait)
        pgasi_net_am_wait(is_true, &is_sent, NULL);
}

/* The progress thread has the progress lock where it runs handlers. */
void pgasi_net_am_wait(bool (*is_done)(const void *argument), const void *argument,
                       void (*describe)(char *text, size_t size))
{
    if (pgasi_ucx_me != NULL) {
        pgasi_ucx_wait(is_done, argument, 0, describe);
        pgasi_ucx_am_bundle_expect();
        return;
    }
    while (!is_done(argument))
        if (pgasi_ucx_worker_progress(pgasi_ucx_target) + pgasi_ucx_background_progress() == 0)
            sched_yield();
}

/* A message whose payload is still to come. */
typedef struct incoming {
    pgasi_net_am_t am;
    size_t nbytes;
} incoming_t;

static void deliver(const pgasi_net_am_t *am, void *payload, size_t nbytes)
{
    if (am->is_reply != 0)
        pgasi_ucx_background_credits -= am->credits;
    pgasi_ucx_am_client->deliver(am, payload, nbytes);
}

static void on_arrived(void *request, ucs_status_t status, size_t nbytes, void *user_data)
{
    (void)nbytes;
    incoming_t incoming = *(incoming_t *)user_data;
    free(user_data);
    ucp_request_free(request);
    if (status != UCS_OK)
        pgasi_ucx_lost(incoming.am.source, "receive", status);
    else
        deliver(&incoming.am, pgasi_ucx_segment_at(incoming.am.offset), incoming.nbytes);
}

static ucs_status_t fetch(ucp_worker_h worker, const pgasi_net_am_t *am, void *data, size_t nbytes)
{
    char *to = pgasi_ucx_segment_at(am->offset);
    incoming_t *incoming = malloc(sizeof *incoming);
    if (incoming == NULL)
        pgasi_fatal("network", "no memory for a transfer");
    *incoming = (incoming_t){.am = *am, .nbytes = nbytes};
    if (pgasi_ucx_fetch(worker, data, to, nbytes, on_arrived, incoming)) {
        free(incoming);
        deliver(am, to, nbytes);
    }
    return UCS_INPROGRESS;
}

static bool is_valid(const pgasi_net_am_t *am, size_t nbytes, const ucp_am_recv_param_t *param)
{
    if (pgasi_ucx_am_client == NULL || am->source >= pgasi_job.threads ||
        am->nargs > PGASI_NET_AM_ARGS || pgasi_job.peers[am->source].base != NULL)
        return false;
    if (am->is_placed == 0 && pgasi_ucx_is_announced(param))
        return false;
    if (am->is_placed != 0 && nbytes > 0 &&
        (am->offset < PGASI_HEAP_BEGIN || !pgasi_ucx_is_in_segment(am->offset, nbytes)))
        return false;
    return pgasi_ucx_am_client->accepts(am, nbytes);
}

static ucs_status_t take(ucp_worker_h worker, const pgasi_net_am_t *am, void *data, size_t nbytes,
                         const ucp_am_recv_param_t *param)
{
    if (am->is_placed == 0) {
        deliver(am, data, nbytes);
        return UCS_OK;
    }
    if (pgasi_ucx_is_announced(param))
        return fetch(worker, am, data, nbytes);
    if (nbytes > 0)
        pgasi_copy(pgasi_ucx_segment_at(am->offset), data, nbytes);
    deliver(am, pgasi_ucx_segment_at(am->offset), nbytes);
    return UCS_OK;
}

static ucs_status_t serve_request(void *arg, const void *header, size_t header_size, void *data,
                                  size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_am_t message;
    if (!pgasi_ucx_open_am(header, header_size, &message))
        return UCS_OK;
    if (message.am.is_reply != 0 || !pgasi_ucx_wants_reply(param) ||
        !is_valid(&message.am, nbytes, param))
        return pgasi_ucx_drop("an active message that no thread sends");
    ways_back[message.am.source] = param->reply_ep;
    return take(pgasi_ucx_target, &message.am, data, nbytes, param);
}

static ucs_status_t serve_reply(void *arg, const void *header, size_t header_size, void *data,
                                size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_am_t message;
    if (!pgasi_ucx_open_am(header, header_size, &message))
        return UCS_OK;
    if (message.am.is_reply == 0 || !is_valid(&message.am, nbytes, param))
        return pgasi_ucx_drop("a reply that no thread sends");
    return take(pgasi_ucx_background, &message.am, data, nbytes, param);
}

/* Short ones, all requests or all replies. */
static ucs_status_t take_bundle(bool are_replies, const char *data, size_t nbytes,
                                const ucp_am_recv_param_t *param)
{
    for (pgasi_net_am_t am; nbytes > 0;) {
        if (!pgasi_ucx_am_bundle_next(&data, &nbytes, &am) || am.is_placed != 0 ||
            (am.is_reply != 0) != are_replies || !is_valid(&am, 0, param))
            return pgasi_ucx_drop("a bundle with an active message that no thread sends");
        if (!are_replies)
            ways_back[am.source] = param->reply_ep;
        deliver(&am, NULL, 0);
    }
    return UCS_OK;
}

static bool open_bundle(const void *header, size_t header_size)
{
    uint64_t secret;
    return pgasi_ucx_open(header, header_size, &secret, sizeof secret);
}

static ucs_status_t serve_requests(void *arg, const void *header, size_t header_size, void *data,
                                   size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    if (!open_bundle(header, header_size))
        return UCS_OK;
    if (!pgasi_ucx_wants_reply(param) || pgasi_ucx_is_announced(param))
        return pgasi_ucx_drop("requests that no thread sends");
    return take_bundle(false, data, nbytes, param);
}

static ucs_status_t serve_replies(void *arg, const void *header, size_t header_size, void *data,
                                  size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    if (!open_bundle(header, header_size))
        return UCS_OK;
    if (pgasi_ucx_is_announced(param))
        return pgasi_ucx_drop("replies that no thread sends");
    return take_bundle(true, data, nbytes, param);
}

ucs_status_t pgasi_ucx_am_start(void)
{
    ucs_status_t status = pgasi_ucx_accept(pgasi_ucx_target, PGASI_UCX_AM, serve_request, NULL);
    if (status == UCS_OK)
        status = pgasi_ucx_accept(pgasi_ucx_target, PGASI_UCX_AMS, serve_requests, NULL);
    return status;
}

ucs_status_t pgasi_ucx_am_accept_in_background(ucp_worker_h background)
{
    ucs_status_t status = pgasi_ucx_accept(background, PGASI_UCX_AM, serve_reply, NULL);
    if (status == UCS_OK)
        status = pgasi_ucx_accept(background, PGASI_UCX_AMS, serve_replies, NULL);
    return status;
}
