/**
 * Puts that are numbered: any number in flight costs no memory.
 *
 * The messages from the calling thread to one target are numbered. A put's handle is its target and
 * the number of the message it travels in; it is complete when the target has acknowledged all
 * messages up to that number. An acknowledgement is asked for when somebody wants it, and answers
 * for all messages before it. All functions are the main thread's.
 */
#ifndef PGASI_NET_UCX_NUMBERED_H
#define PGASI_NET_UCX_NUMBERED_H

#include <stdbool.h>
#include <stdint.h>

#include <ucp/api/ucp.h>

#include "net_ucx_wire.h"

/** The messages to one thread. The counts never wrap: 64 bits of messages last for centuries. */
typedef struct pgasi_ucx_target {
    /** The last number that a message has, or will have that waits to be sent: `sent`, or one more.
     */
    uint64_t assigned;
    /** Messages sent, those whose acknowledgement is asked for, those acknowledged. */
    uint64_t sent;
    uint64_t asked;
    uint64_t acked;
} pgasi_ucx_target_t;

/** By thread. */
extern pgasi_ucx_target_t *pgasi_ucx_targets;

/** Makes the table, and the initiating worker accept acknowledgements, of which `on_acked` hears.
 */
ucs_status_t pgasi_ucx_numbered_start(void (*on_acked)(uint32_t thread));

/** Gives the header of a message to a thread, which is sent now, its number; asks for an
 *  acknowledgement of it, and of all before it, if `asks`. */
void pgasi_ucx_number(pgasi_ucx_numbered_t *header, uint32_t thread, bool asks);

/** Assigns the next number to a message to a thread that waits to be sent; no other is sent before
 *  it. */
void pgasi_ucx_number_ahead(uint32_t thread);

/** The handle of what travels in the message that a number was assigned to last. */
uint64_t pgasi_ucx_numbered_handle(uint32_t thread);

/** True for the handle of a numbered put. */
bool pgasi_ucx_is_numbered(uint64_t handle);

/** For such handles. Whether an acknowledgement is asked for is told of those that are not done. */
uint32_t pgasi_ucx_numbered_target(uint64_t handle);
bool pgasi_ucx_numbered_is_done(uint64_t handle);
bool pgasi_ucx_numbered_is_asked(uint64_t handle);

/** Whether all messages to a thread are acknowledged, but one that waits to be sent. */
bool pgasi_ucx_numbered_is_idle(uint32_t thread);

void pgasi_ucx_numbered_finalize(void);

#endif
