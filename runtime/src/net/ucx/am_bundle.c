#include "net/ucx/am_bundle.h"

#include <stdlib.h>
#include <string.h>

#include <pgas/detail.h>

#include "net/spin.h"
#include "net/ucx/background.h"
#include "net/ucx/initiator.h"
#include "net/ucx/outgoing.h"
#include "net/ucx/progress.h"
#include "net/ucx/progress_thread.h"
#include "shm/guard.h"

enum {
    /* Room for 128 messages with 10 arguments. */
    BUNDLE_SIZE = 8192,
    /* Requests in a row that leave by themselves. */
    ALONE = 2
};

/* By thread, requests and replies: the bundle that is open; NULL if there is none. */
static pgasi_ucx_outgoing_t **open_bundles;
static pgasi_guard_t guard;

/* The calling thread runs several handlers one after the other. */
static _Thread_local bool holds_replies __attribute__((tls_model("initial-exec")));

bool pgasi_ucx_am_bundle_init(void)
{
    open_bundles = calloc(2 * (size_t)pgasi_job.threads, sizeof(void *));
    return open_bundles != NULL;
}

void pgasi_ucx_am_bundle_finalize(void)
{
    for (size_t i = 0; open_bundles != NULL && i < 2 * (size_t)pgasi_job.threads; i++)
        free(open_bundles[i]);
    free(open_bundles);
    open_bundles = NULL;
}

void pgasi_ucx_am_bundle_expect(void)
{
    if (pgasi_ucx_me != NULL)
        pgasi_ucx_me->sent_in_a_row = ALONE;
}

static size_t size_of(const pgasi_net_am_t *am)
{
    return pgasi_ucx_padded(offsetof(pgasi_net_am_t, args) + am->nargs * sizeof *am->args);
}

/* What is deferred for an open bundle. The one that it was opened for may have left meanwhile,
 * full, and another one, for which the same is deferred, stand in its place. */
static void post_open(const void *what)
{
    pgasi_ucx_outgoing_t **place = *(pgasi_ucx_outgoing_t * *const *)what;
    pgasi_guard_lock(&guard);
    pgasi_ucx_outgoing_t *bundle = *place;
    *place = NULL;
    pgasi_guard_unlock(&guard);
    if (bundle != NULL)
        pgasi_ucx_outgoing_send(bundle, PGASI_UCX_AMS, sizeof bundle->header.secret);
}

static pgasi_ucx_outgoing_t *open_bundle(uint32_t thread, const ucp_ep_h *reply_to)
{
    pgasi_ucx_outgoing_t *bundle = pgasi_ucx_outgoing_alloc(thread, NULL, BUNDLE_SIZE, true);
    bundle->nbytes = 0;
    bundle->reply_to = reply_to;
    return bundle;
}

static void append(pgasi_ucx_outgoing_t *bundle, const pgasi_net_am_t *am)
{
    pgasi_net_am_t *at = (pgasi_net_am_t *)(void *)(bundle->copy + bundle->nbytes);
    pgasi_net_am_copy(at, am);
    bundle->nbytes += size_of(am);
    if (bundle->reply_to == NULL)
        bundle->credits += am->credits;
}

/* Adds to the open bundle, or to a new one: `*is_new`. A bundle that is full leaves then. */
static pgasi_ucx_outgoing_t *add(pgasi_ucx_outgoing_t **place, uint32_t thread,
                                 const pgasi_net_am_t *am, const ucp_ep_h *reply_to, bool *is_new)
{
    pgasi_ucx_outgoing_t *full = NULL;
    pgasi_guard_lock(&guard);
    if (*place != NULL && (*place)->nbytes + size_of(am) > BUNDLE_SIZE) {
        full = *place;
        *place = NULL;
    }
    *is_new = *place == NULL;
    if (*is_new)
        *place = open_bundle(thread, reply_to);
    append(*place, am);
    pgasi_guard_unlock(&guard);
    return full;
}

static bool goes_alone(bool is_reply)
{
    if (pgasi_net_per_target() == 1)
        return true;
    if (is_reply)
        return !holds_replies;
    if (!pgasi_ucx_progress_thread_exists())
        return true;
    if (pgasi_ucx_me->sent_in_a_row >= ALONE)
        return false;
    pgasi_ucx_me->sent_in_a_row++;
    return true;
}

bool pgasi_ucx_am_bundle_add(uint32_t thread, const pgasi_net_am_t *am, const ucp_ep_h *reply_to)
{
    bool is_reply = reply_to != NULL;
    if (goes_alone(is_reply))
        return false;
    pgasi_ucx_outgoing_t **place = &open_bundles[2 * (size_t)thread + is_reply];
    bool is_new;
    pgasi_ucx_outgoing_t *full = add(place, thread, am, reply_to, &is_new);
    if (is_new) {
        pgasi_ucx_background_defer(post_open, &place, sizeof place);
        if (!is_reply)
            pgasi_ucx_progress_thread_alert();
    }
    if (full != NULL)
        pgasi_ucx_outgoing_send(full, PGASI_UCX_AMS, sizeof full->header.secret);
    return true;
}

void pgasi_net_am_hold(void)
{
    holds_replies = true;
}

void pgasi_net_am_release(void)
{
    holds_replies = false;
    pgasi_ucx_background_kick();
}

bool pgasi_ucx_am_bundle_next(const char **data, size_t *nbytes, pgasi_net_am_t *am)
{
    const size_t least = offsetof(pgasi_net_am_t, args);
    if (*nbytes < least)
        return false;
    memcpy(am, *data, least);
    if (am->nargs > PGASI_NET_AM_ARGS || size_of(am) > *nbytes)
        return false;
    memcpy(am->args, *data + least, am->nargs * sizeof *am->args);
    *data += size_of(am);
    *nbytes -= size_of(am);
    return true;
}
