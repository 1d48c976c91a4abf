#include "am/mailbox.h"

#include <stdlib.h>

#include "base/agent.h"
#include "base/log.h"

/* What the calling agent knows of the positions of the others' rings. */
typedef struct known {
    uint64_t replies;
    uint64_t requests;
} known_t;

static _Thread_local known_t *known;

bool pgasi_mailbox_start(void)
{
    if (known == NULL)
        known = calloc(pgasi_job.threads, sizeof *known);
    if (known == NULL)
        pgasi_log("no memory for mailboxes of %u threads", pgasi_job.threads);
    return known != NULL;
}

void pgasi_mailbox_finish(void)
{
    free(known);
    known = NULL;
}

bool pgasi_mailbox_put(uint32_t thread, const pgasi_message_t *message)
{
    pgasi_mailbox_t *mailbox = pgasi_mailbox_of(thread);
    bool is_reply = (message->head.kind & PGASI_AM_REPLY) != 0;
    bool done = is_reply ? pgasi_ring_put(&mailbox->replies, &known[thread].replies, message)
                         : pgasi_ring_put(&mailbox->requests, &known[thread].requests, message);
    if (done)
        pgasi_bell_ring(&mailbox->bell);
    return done;
}

static uint32_t body_size(const pgasi_message_head_t *head)
{
    switch (pgasi_am_kind(head->kind)) {
    case PGASI_AM_SHORT:
        return head->nargs * 4U;
    case PGASI_AM_MEDIUM:
        return pgasi_am_payload_at(head->nargs) + head->nbytes;
    default:
        return pgasi_am_payload_at(head->nargs) + (uint32_t)sizeof(uint64_t);
    }
}

void pgasi_mailbox_take(pgasi_ring_t *ring, pgasi_message_t *message)
{
    pgasi_ring_take(ring, message, body_size);
}

/* Acquires: what its last reader has read comes before what is written now. */
static bool take(pgasi_buffer_t *buffer)
{
    uint32_t expected = 0;
    if (atomic_load_explicit(&buffer->is_busy, memory_order_acquire) != 0)
        return false;
    if (pgasi_is_shared) /* another agent may take it, too */
        return atomic_compare_exchange_strong(&buffer->is_busy, &expected, 1);
    atomic_store_explicit(&buffer->is_busy, 1, memory_order_relaxed);
    return true;
}

static pgasi_buffer_t *find_small(pgasi_small_buffer_t *buffers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (take(&buffers[i].state))
            return &buffers[i].state;
    return NULL;
}

static pgasi_buffer_t *find_large(pgasi_large_buffer_t *buffers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (take(&buffers[i].state))
            return &buffers[i].state;
    return NULL;
}

pgasi_buffer_t *pgasi_buffer_alloc(size_t nbytes, bool is_reply)
{
    pgasi_mailbox_t *mailbox = pgasi_mailbox_of(pgasi_job.thread);
    if (nbytes <= PGASI_BUFFER_SMALL)
        return is_reply ? find_small(mailbox->reply_small, PGASI_REPLY_SMALL)
                        : find_small(mailbox->request_small, PGASI_REQUEST_SMALL);
    return is_reply ? find_large(mailbox->reply_large, PGASI_REPLY_LARGE)
                    : find_large(mailbox->request_large, PGASI_REQUEST_LARGE);
}
