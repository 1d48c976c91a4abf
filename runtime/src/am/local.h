/**
 * Messages to threads of this node. outgoing.h says why nobody waits for ever.
 */
#ifndef PGASI_AM_LOCAL_H
#define PGASI_AM_LOCAL_H

#include <stdbool.h>

#include "am/outgoing.h"
#include "shm/ring.h"

/** A request on its way into a mailbox. */
typedef struct pgasi_local_request {
    const pgasi_outgoing_t *out;
    bool needs_buffer;
    pgasi_message_t message;
} pgasi_local_request_t;

/** Builds a request; the bytes of a long one are in place when this returns. */
void pgasi_am_local_begin(const pgasi_outgoing_t *out, pgasi_local_request_t *request);

/** Sends it; false, to be called again, if there is no buffer or no room. */
bool pgasi_am_local_try(pgasi_local_request_t *request);

/** Sends a reply, or holds it back. */
void pgasi_am_local_reply(const pgasi_outgoing_t *out);

/** Whether a reply is held back. */
extern _Atomic bool pgasi_am_holds_reply;

/** Tries to send the reply that is held back. */
void pgasi_am_hold_retry(void);

#endif
