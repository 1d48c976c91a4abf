/**
 * Mailboxes: where the active messages from the threads of the node come in, and the buffers from
 * which the thread's own longer ones go out. Layout only; am/ has the code.
 */
#ifndef PGASI_SHM_MAILBOX_H
#define PGASI_SHM_MAILBOX_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#include "shm/bell.h"
#include "shm/ring.h"

enum {
    PGASI_BUFFER_SMALL = 4096,
    PGASI_BUFFER_LARGE = 65536,
    /** Buffers of requests and of replies. Replies have their own: they wait for no request. */
    PGASI_REQUEST_SMALL = 32,
    PGASI_REQUEST_LARGE = 8,
    PGASI_REPLY_SMALL = 16,
    PGASI_REPLY_LARGE = 4,
    /** Handlers of active messages. */
    PGASI_HANDLERS = 1024,
    PGASI_HANDLER_NAME = 64
};

/** What every buffer begins with, in a line of its own: the owner sets it, who has read the bytes
 *  clears it. */
typedef struct pgasi_buffer {
    alignas(64) _Atomic uint32_t is_busy;
} pgasi_buffer_t;

typedef struct pgasi_small_buffer {
    pgasi_buffer_t state;
    unsigned char bytes[PGASI_BUFFER_SMALL];
} pgasi_small_buffer_t;

typedef struct pgasi_large_buffer {
    pgasi_buffer_t state;
    unsigned char bytes[PGASI_BUFFER_LARGE];
} pgasi_large_buffer_t;

/** A registered handler, as the other threads see it. */
typedef struct pgasi_handler_name {
    char name[PGASI_HANDLER_NAME];
    uint32_t where;
} pgasi_handler_name_t;

/** One per thread, in its segment. Starts as zeros; pages that are not used take no memory. */
typedef struct pgasi_mailbox {
    pgasi_bell_t bell;
    pgasi_ring_t replies;
    pgasi_ring_t requests;
    pgasi_small_buffer_t request_small[PGASI_REQUEST_SMALL];
    pgasi_small_buffer_t reply_small[PGASI_REPLY_SMALL];
    pgasi_large_buffer_t request_large[PGASI_REQUEST_LARGE];
    pgasi_large_buffer_t reply_large[PGASI_REPLY_LARGE];
    pgasi_handler_name_t handlers[PGASI_HANDLERS];
} pgasi_mailbox_t;

#endif
