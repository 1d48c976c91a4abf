#include "net/ucx/am_bundle.h"

#include <string.h>

#include <pgas/detail.h>

#include "net/spin.h"
#include "net/ucx/bundle.h"
#include "net/ucx/initiator.h"
#include "net/ucx/progress.h"
#include "net/ucx/progress_thread.h"

enum {
    /* Requests in a row that leave by themselves. */
    ALONE = 2,
    /* With more bytes a message does: from 2 KiB on company gains nothing. */
    PAYLOAD_MOST = 1024
};

/* By thread, requests and replies. */
static pgasi_ucx_bundles_t bundles = {.id = PGASI_UCX_AMS};

/* The calling thread runs several handlers one after the other. */
static _Thread_local bool holds_replies __attribute__((tls_model("initial-exec")));

bool pgasi_ucx_am_bundle_init(void)
{
    return pgasi_ucx_bundles_alloc(&bundles, 2 * (size_t)pgasi_job.threads);
}

void pgasi_ucx_am_bundle_finalize(void)
{
    pgasi_ucx_bundles_free(&bundles);
}

void pgasi_ucx_am_bundle_expect(void)
{
    if (pgasi_ucx_me != NULL)
        pgasi_ucx_me->sent_in_a_row = ALONE;
}

static size_t size_of(const pgasi_net_am_t *am)
{
    return offsetof(pgasi_net_am_t, args) + am->nargs * sizeof *am->args;
}

static bool goes_alone(bool is_reply)
{
    if (pgasi_net_per_target() == 1)
        return true;
    if (is_reply)
        return !holds_replies;
    if (!pgasi_net_has_progress_thread())
        return true;
    if (pgasi_ucx_me->sent_in_a_row >= ALONE)
        return false;
    pgasi_ucx_me->sent_in_a_row++;
    return true;
}

bool pgasi_ucx_am_bundle_add(uint32_t thread, const pgasi_net_am_t *am, const void *payload,
                             size_t nbytes)
{
    bool is_reply = am->is_reply != 0;
    if (nbytes > PAYLOAD_MOST || goes_alone(is_reply))
        return false;
    pgasi_net_am_t head;
    pgasi_net_am_copy(&head, am);
    head.payload_behind = (uint16_t)nbytes;
    const pgasi_ucx_item_t item = {
        .head = &head,
        .head_size = size_of(am),
        .body = payload,
        .body_size = nbytes,
        .thread = thread,
    };
    bool is_new = pgasi_ucx_bundle_add(&bundles, 2 * (size_t)thread + is_reply, &item);
    if (is_new && !is_reply)
        pgasi_ucx_progress_thread_alert();
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

bool pgasi_ucx_am_bundle_next(char **data, size_t *nbytes, pgasi_net_am_t *am, char **payload)
{
    const size_t least = offsetof(pgasi_net_am_t, args);
    if (*nbytes < least)
        return false;
    memcpy(am, *data, least);
    size_t whole = pgasi_ucx_padded(size_of(am) + am->payload_behind);
    if (am->nargs > PGASI_NET_AM_ARGS || whole > *nbytes)
        return false;
    memcpy(am->args, *data + least, am->nargs * sizeof *am->args);
    *payload = *data + size_of(am);
    *data += whole;
    *nbytes -= whole;
    return true;
}
