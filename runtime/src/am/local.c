#include "am/local.h"

#include <string.h>

#include <pgas/detail.h>

#include "am/mailbox.h"

_Atomic bool pgasi_am_holds_reply;

/* The reply that is held back. Without a buffer its payload is in `bytes`. */
static struct {
    pgasi_message_t message;
    uint32_t thread;
    bool needs_buffer;
    unsigned char bytes[PGASI_BUFFER_LARGE];
} held;

static void write_place(pgasi_message_t *message, uint64_t place)
{
    memcpy(message->body + pgasi_am_payload_at(message->head.nargs), &place, sizeof place);
}

/* All but a buffer's place. */
static void build(const pgasi_outgoing_t *out, uint32_t flags, pgasi_message_t *message)
{
    uint32_t kind = out->kind;
    uint32_t at = pgasi_am_payload_at(out->nargs);
    message->size = kind == PGASI_AM_SHORT ? out->nargs * 4 : at + (uint32_t)sizeof(uint64_t);
    if (out->nargs > 0)
        memcpy(message->body, out->args, out->nargs * sizeof *out->args);
    if (kind == PGASI_AM_LONG) {
        memcpy(message->body + at, &out->offset, sizeof out->offset);
    } else if (kind == PGASI_AM_MEDIUM && pgasi_am_fits(out->nargs, out->nbytes)) {
        message->size = at + (uint32_t)out->nbytes;
        if (out->nbytes > 0)
            pgasi_copy(message->body + at, out->payload, out->nbytes);
    } else if (kind == PGASI_AM_MEDIUM) {
        kind = PGASI_AM_BUFFERED;
    }
    message->head = (pgasi_message_head_t){
        .handler = (uint16_t)out->handler,
        .kind = (uint8_t)(kind | flags),
        .nargs = (uint8_t)out->nargs,
        .source = pgasi_job.thread,
        .nbytes = (uint32_t)out->nbytes,
    };
}

static bool is_buffered(const pgasi_message_t *message)
{
    return pgasi_am_kind(message->head.kind) == PGASI_AM_BUFFERED;
}

/* The payload may lie where it goes to. */
static void put_long(const pgasi_outgoing_t *out)
{
    if (out->kind != PGASI_AM_LONG || out->nbytes == 0)
        return;
    char *to = pgasi_job.peers[out->thread].base + out->offset;
    const char *from = out->payload;
    if (to < from + out->nbytes && from < to + out->nbytes)
        memmove(to, from, out->nbytes);
    else
        pgasi_copy(to, from, out->nbytes);
}

/* Fills a buffer for the message; false if there is none. */
static bool fill_buffer(pgasi_message_t *message, const void *payload, bool is_reply)
{
    pgasi_buffer_t *buffer = pgasi_buffer_alloc(message->head.nbytes, is_reply);
    if (buffer == NULL)
        return false;
    pgasi_copy(pgasi_buffer_bytes(buffer), payload, message->head.nbytes);
    write_place(message, pgasi_buffer_place(buffer));
    return true;
}

void pgasi_am_local_begin(const pgasi_outgoing_t *out, pgasi_local_request_t *request)
{
    request->out = out;
    build(out, 0, &request->message);
    request->needs_buffer = is_buffered(&request->message);
    put_long(out);
}

bool pgasi_am_local_try(pgasi_local_request_t *request)
{
    const pgasi_outgoing_t *out = request->out;
    if (request->needs_buffer && !fill_buffer(&request->message, out->payload, false))
        return false;
    request->needs_buffer = false;
    return pgasi_mailbox_put(out->thread, &request->message);
}

void pgasi_am_local_reply(const pgasi_outgoing_t *out)
{
    pgasi_message_t message;
    build(out, PGASI_AM_REPLY, &message);
    put_long(out);
    bool needs_buffer = is_buffered(&message) && !fill_buffer(&message, out->payload, true);
    if (!needs_buffer && pgasi_mailbox_put(out->thread, &message))
        return;
    held.message = message;
    held.thread = out->thread;
    held.needs_buffer = needs_buffer;
    if (needs_buffer)
        pgasi_copy(held.bytes, out->payload, out->nbytes);
    pgasi_am_holds_reply = true;
}

void pgasi_am_hold_retry(void)
{
    if (held.needs_buffer && !fill_buffer(&held.message, held.bytes, true))
        return;
    held.needs_buffer = false;
    pgasi_am_holds_reply = !pgasi_mailbox_put(held.thread, &held.message);
}
