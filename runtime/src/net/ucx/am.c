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

static bool is_true(const void *flag)
{
    return atomic_load_explicit((const _Atomic bool *)flag, memory_order_acquire);
}

/* Without a payload: one that cannot be read is to be a fault of this thread, which copies it; to a
 * system call in UCX it would be a lost connection. */
static bool leaves_at_once(uint32_t thread, const pgasi_net_am_t *am)
{
    pgasi_ucx_am_brief_t brief;
    const pgasi_ucx_ready_t ready = {
        .id = PGASI_UCX_AM_BRIEF,
        .thread = thread,
        .header = &brief,
        .header_size = pgasi_ucx_am_shorten(am, &brief),
    };
    return ready.header_size > 0 && pgasi_ucx_outgoing_try(&ready);
}

void pgasi_net_am_send(uint32_t thread, const pgasi_net_am_t *am, const void *payload,
                       size_t nbytes, bool waits)
{
    /* What a handler has read comes before its reply, which may free that place for writes that
     * pass by this thread (net/ucx/rma.h). */
    atomic_thread_fence(memory_order_acq_rel);
    if (pgasi_ucx_am_bundle_add(thread, am, payload, nbytes))
        return;
    if (nbytes == 0 && leaves_at_once(thread, am))
        return;
    bool is_copied = nbytes <= PGASI_UCX_EAGER_MAX;
    bool must_wait = waits && !is_copied;
    _Atomic bool is_sent = false;
    pgasi_ucx_outgoing_t *outgoing = pgasi_ucx_outgoing_alloc(thread, payload, nbytes, is_copied);
    pgasi_net_am_copy(&outgoing->header.am.am, am);
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

static void deliver(const pgasi_net_am_t *am, void *payload, size_t nbytes)
{
    pgasi_ucx_am_client->deliver(am, payload, nbytes, pgasi_ucx_am_polls_next);
}

/* A message whose payload is still to come. */
typedef struct incoming {
    pgasi_net_am_t am;
    size_t nbytes;
} incoming_t;

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

static ucs_status_t fetch(const pgasi_net_am_t *am, void *data, size_t nbytes)
{
    char *to = pgasi_ucx_segment_at(am->offset);
    incoming_t *incoming = malloc(sizeof *incoming);
    if (incoming == NULL)
        pgasi_fatal("network", "no memory for a transfer");
    *incoming = (incoming_t){.am = *am, .nbytes = nbytes};
    if (pgasi_ucx_fetch(pgasi_ucx_target, data, to, nbytes, on_arrived, incoming)) {
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

/* What has come with the message. */
static void take(const pgasi_net_am_t *am, void *data, size_t nbytes)
{
    void *to = data;
    if (am->is_placed != 0) {
        to = pgasi_ucx_segment_at(am->offset);
        if (nbytes > 0)
            pgasi_copy(to, data, nbytes);
    }
    deliver(am, to, nbytes);
}

static ucs_status_t serve_message(void *arg, const void *header, size_t header_size, void *data,
                                  size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_am_t message;
    if (!pgasi_ucx_open_am(header, header_size, &message))
        return UCS_OK;
    if (!is_valid(&message.am, nbytes, param))
        return pgasi_ucx_drop("an active message that no thread sends");
    pgasi_ucx_note_way_back(message.am.source, param);
    if (message.am.is_placed != 0 && pgasi_ucx_is_announced(param))
        return fetch(&message.am, data, nbytes);
    take(&message.am, data, nbytes);
    return UCS_OK;
}

static ucs_status_t serve_brief(void *arg, const void *header, size_t header_size, void *data,
                                size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)data;
    pgasi_net_am_t am;
    if (!pgasi_ucx_open_brief(header, header_size, &am))
        return UCS_OK;
    if (!is_valid(&am, nbytes, param))
        return pgasi_ucx_drop("a short active message that no thread sends");
    pgasi_ucx_note_way_back(am.source, param);
    deliver(&am, NULL, 0);
    return UCS_OK;
}

static ucs_status_t serve_bundle(void *arg, const void *header, size_t header_size, void *data,
                                 size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    uint64_t secret;
    char *left = data;
    char *payload;
    if (!pgasi_ucx_open(header, header_size, &secret, sizeof secret))
        return UCS_OK;
    if (pgasi_ucx_is_announced(param))
        return pgasi_ucx_drop("active messages that no thread sends");
    for (pgasi_net_am_t am; nbytes > 0;) {
        if (!pgasi_ucx_am_bundle_next(&left, &nbytes, &am, &payload) ||
            !is_valid(&am, am.payload_behind, param))
            return pgasi_ucx_drop("a bundle with an active message that no thread sends");
        pgasi_ucx_note_way_back(am.source, param);
        take(&am, payload, am.payload_behind);
    }
    return UCS_OK;
}

ucs_status_t pgasi_ucx_am_start(void)
{
    ucs_status_t status = pgasi_ucx_accept(pgasi_ucx_target, PGASI_UCX_AM, serve_message, NULL);
    if (status == UCS_OK)
        status = pgasi_ucx_accept(pgasi_ucx_target, PGASI_UCX_AM_BRIEF, serve_brief, NULL);
    if (status == UCS_OK)
        status = pgasi_ucx_accept(pgasi_ucx_target, PGASI_UCX_AMS, serve_bundle, NULL);
    return status;
}
