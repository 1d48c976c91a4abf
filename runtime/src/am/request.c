#include <pgas/am.h>

#include <inttypes.h>
#include <stdio.h>

#include <pgas/detail.h>

#include "am/handlers.h"
#include "am/local.h"
#include "am/lock.h"
#include "am/mailbox.h"
#include "am/progress.h"
#include "am/remote.h"
#include "am/token.h"
#include "base/in_job.h"
#include "base/touch.h"
#include "node/segment.h"

/* What a caller may have wrong. A long one's destination is checked with its thread. */

static void check_message(const char *call, const pgasi_outgoing_t *out)
{
    if (!pgasi_handler_exists(out->handler))
        pgasi_fatal(call, "handler %u is not registered", out->handler);
    if (out->nargs > PGAS_AM_MAX_ARGS)
        pgasi_fatal(call, "%u arguments, and %d are the most", out->nargs, PGAS_AM_MAX_ARGS);
    size_t most = out->kind == PGASI_AM_MEDIUM ? PGAS_AM_MAX_MEDIUM : PGAS_AM_MAX_LONG;
    if (out->nbytes > most)
        pgasi_fatal(call, "%zu bytes, and %zu are the most", out->nbytes, most);
    if (out->nargs > 0 && out->args == NULL)
        pgasi_fatal(call, "the pointer to %u arguments is NULL", out->nargs);
    if (out->nbytes > 0 && out->payload == NULL)
        pgasi_fatal(call, "the source of %zu bytes is NULL", out->nbytes);
}

static void check_thread(const char *call, int thread)
{
    if (thread < 0 || (uint32_t)thread >= pgasi_job.threads)
        pgasi_fatal(call, "there is no thread %d", thread);
}

static uint64_t place_of(const char *call, uint32_t thread, pgas_ptr_t dst, size_t nbytes)
{
    uint64_t size = pgasi_node_memory.stride;
    if (dst.thread != thread)
        pgasi_fatal(call, "the message goes to thread %u, but its destination is at thread %u",
                    thread, dst.thread);
    if (nbytes > 0 &&
        (dst.offset < PGASI_HEAP_BEGIN || dst.offset > size || nbytes > size - dst.offset))
        pgasi_fatal(call, "%zu bytes at offset %" PRIu64 " of thread %u are not in its segment",
                    nbytes, dst.offset, thread);
    return dst.offset;
}

/* The progress thread has counters of its own. */
static void count(const pgasi_outgoing_t *out)
{
    if (pgasi_self_is_attached()) {
        pgasi_peer_t *peer = &pgasi_peers[out->thread];
        pgasi_counter_add(&peer->messages.operations, 1);
        pgasi_counter_add(&peer->messages.bytes, out->nbytes);
    } else {
        pgasi_peer_t *peer = &pgasi_job.peers[out->thread];
        __atomic_fetch_add(&peer->messages_aside.operations, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&peer->messages_aside.bytes, out->nbytes, __ATOMIC_RELAXED);
    }
}

/* For the watchdog. */
static _Thread_local uint32_t full;

static void describe(char *text, size_t size)
{
    snprintf(text, size, "room for a message to thread %u, which does not poll", full);
}

static void request_local(const pgasi_outgoing_t *out)
{
    pgasi_local_request_t request;
    pgasi_am_patience_t patience = {.describe = describe};
    pgasi_am_local_begin(out, &request);
    full = out->thread;
    while (!pgasi_am_local_try(&request))
        pgasi_am_give_way(&patience);
    pgasi_watch_end(&patience.watch);
}

static void touch_payload(const pgasi_outgoing_t *out)
{
    if (out->nbytes > 0)
        pgasi_touch_source(out->payload, out->nbytes);
}

static void request(const char *call, const pgasi_outgoing_t *out)
{
    check_message(call, out);
    count(out);
    pgasi_am_poll();
    if (pgasi_job.peers[out->thread].base != NULL) {
        request_local(out);
    } else {
        touch_payload(out);
        pgasi_am_request_remote(out);
    }
}

void pgas_am_request_short(int thread, pgas_am_t am, const int32_t *args, unsigned nargs)
{
    pgasi_require_job(__func__);
    check_thread(__func__, thread);
    const pgasi_outgoing_t out = {
        .thread = (uint32_t)thread,
        .handler = am.number,
        .kind = PGASI_AM_SHORT,
        .nargs = nargs,
        .args = args,
    };
    request(__func__, &out);
}

void pgas_am_request_medium(int thread, pgas_am_t am, const int32_t *args, unsigned nargs,
                            const void *src, size_t nbytes)
{
    pgasi_require_job(__func__);
    check_thread(__func__, thread);
    const pgasi_outgoing_t out = {
        .thread = (uint32_t)thread,
        .handler = am.number,
        .kind = PGASI_AM_MEDIUM,
        .nargs = nargs,
        .args = args,
        .payload = src,
        .nbytes = nbytes,
    };
    request(__func__, &out);
}

static void request_long(const char *call, int thread, pgasi_outgoing_t *out, pgas_ptr_t dst)
{
    pgasi_require_job(call);
    check_thread(call, thread);
    out->kind = PGASI_AM_LONG;
    out->thread = (uint32_t)thread;
    out->offset = place_of(call, out->thread, dst, out->nbytes);
    request(call, out);
}

void pgas_am_request_long(int thread, pgas_am_t am, const int32_t *args, unsigned nargs,
                          const void *src, size_t nbytes, pgas_ptr_t dst)
{
    pgasi_outgoing_t out = {
        .handler = am.number, .nargs = nargs, .args = args, .payload = src, .nbytes = nbytes};
    request_long(__func__, thread, &out, dst);
}

void pgas_am_request_long_async(int thread, pgas_am_t am, const int32_t *args, unsigned nargs,
                                const void *src, size_t nbytes, pgas_ptr_t dst)
{
    pgasi_outgoing_t out = {.handler = am.number,
                            .nargs = nargs,
                            .args = args,
                            .payload = src,
                            .nbytes = nbytes,
                            .is_async = true};
    request_long(__func__, thread, &out, dst);
}

/* Replies. */

static void check_reply(const char *call, const pgas_am_token_t *token)
{
    if (token == NULL || token != pgasi_am_token)
        pgasi_fatal(call, "the token is not that of the handler that runs");
    if (!token->is_request)
        pgasi_fatal(call, "a handler that runs for a reply must not reply");
    if (token->has_replied)
        pgasi_fatal(call, "the handler has replied already");
    if (pgasi_am_locks_held() > 0)
        pgasi_fatal(call, "called while a handler-safe lock is held");
}

static void reply(const char *call, pgas_am_token_t *token, pgasi_outgoing_t *out)
{
    out->thread = token->source;
    check_message(call, out);
    token->has_replied = true;
    count(out);
    if (pgasi_job.peers[out->thread].base != NULL) {
        pgasi_am_local_reply(out);
    } else {
        touch_payload(out);
        pgasi_am_reply_remote(out, token);
    }
}

void pgas_am_reply_short(pgas_am_token_t *token, pgas_am_t am, const int32_t *args, unsigned nargs)
{
    check_reply(__func__, token);
    pgasi_outgoing_t out = {
        .handler = am.number, .kind = PGASI_AM_SHORT, .nargs = nargs, .args = args};
    reply(__func__, token, &out);
}

void pgas_am_reply_medium(pgas_am_token_t *token, pgas_am_t am, const int32_t *args, unsigned nargs,
                          const void *src, size_t nbytes)
{
    check_reply(__func__, token);
    pgasi_outgoing_t out = {.handler = am.number,
                            .kind = PGASI_AM_MEDIUM,
                            .nargs = nargs,
                            .args = args,
                            .payload = src,
                            .nbytes = nbytes};
    reply(__func__, token, &out);
}

void pgas_am_reply_long(pgas_am_token_t *token, pgas_am_t am, const int32_t *args, unsigned nargs,
                        const void *src, size_t nbytes, pgas_ptr_t dst)
{
    check_reply(__func__, token);
    pgasi_outgoing_t out = {.handler = am.number,
                            .kind = PGASI_AM_LONG,
                            .nargs = nargs,
                            .args = args,
                            .payload = src,
                            .nbytes = nbytes,
                            .offset = place_of(__func__, token->source, dst, nbytes)};
    reply(__func__, token, &out);
}
