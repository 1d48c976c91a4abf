/**
 * Messages into mailboxes of the node's threads, and the buffers that they bring along.
 */
#ifndef PGASI_AM_MAILBOX_H
#define PGASI_AM_MAILBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/detail.h>

#include "node/memory.h"
#include "shm/mailbox.h"
#include "shm/ring.h"

/** What a message carries. On a node replies have PGASI_AM_REPLY too. */
enum {
    PGASI_AM_SHORT,
    /** A payload behind the arguments. */
    PGASI_AM_MEDIUM,
    /** The place of a buffer in the sender's segment behind the arguments. */
    PGASI_AM_BUFFERED,
    /** The place of the payload in the receiver's segment behind the arguments. */
    PGASI_AM_LONG,
    /** Between nodes only: no message, but credits for more. */
    PGASI_AM_CREDIT,
    PGASI_AM_REPLY = 0x80
};

/** The mailbox of a thread of this node. */
static inline pgasi_mailbox_t *pgasi_mailbox_of(uint32_t thread)
{
    return (pgasi_mailbox_t *)(void *)(pgasi_job.peers[thread].base + PGASI_MAILBOX_BEGIN);
}

static inline uint32_t pgasi_am_kind(uint32_t kind)
{
    return kind & ~(uint32_t)PGASI_AM_REPLY;
}

/** Where a medium's payload, or a place, begins in a message's body: the payload aligned for any
 *  type. */
static inline uint32_t pgasi_am_payload_at(uint32_t nargs)
{
    return (nargs * 4 + 15) / 16 * 16;
}

/** Whether a medium's payload goes into the message itself. */
static inline bool pgasi_am_fits(uint32_t nargs, size_t nbytes)
{
    return pgasi_am_payload_at(nargs) + nbytes <= PGASI_BODY_MAX;
}

/** Allocates the tables of the calling agent as a sender; false if there is no memory. */
bool pgasi_mailbox_start(void);
void pgasi_mailbox_finish(void);

/** Puts a message into the mailbox of a thread and rings its bell; false if there is no room. */
bool pgasi_mailbox_put(uint32_t thread, const pgasi_message_t *message);

/** Takes the next message out of a ring of the own mailbox, which has one. */
void pgasi_mailbox_take(pgasi_ring_t *ring, pgasi_message_t *message);

/** A free buffer of the calling thread's for `nbytes` bytes of a request or a reply; NULL if all
 * are in use. Whoever has read it frees it. */
pgasi_buffer_t *pgasi_buffer_alloc(size_t nbytes, bool is_reply);

/** Where the bytes of a buffer are. */
static inline unsigned char *pgasi_buffer_bytes(pgasi_buffer_t *buffer)
{
    return (unsigned char *)(buffer + 1);
}

/** A buffer as a place in its owner's segment, and back. */
static inline uint64_t pgasi_buffer_place(const pgasi_buffer_t *buffer)
{
    return (uint64_t)((const char *)buffer - pgasi_job.peers[pgasi_job.thread].base);
}

static inline pgasi_buffer_t *pgasi_buffer_at(uint32_t thread, uint64_t place)
{
    return (pgasi_buffer_t *)(void *)(pgasi_job.peers[thread].base + place);
}

static inline void pgasi_buffer_free(pgasi_buffer_t *buffer)
{
    atomic_store_explicit(&buffer->is_busy, 0, memory_order_release);
}

#endif
