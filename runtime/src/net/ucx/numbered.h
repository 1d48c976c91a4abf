/**
 * Puts that are numbered: any number in flight costs no memory.
 *
 * The messages from the calling agent to one target are numbered. A put's handle is its target and
 * the number of the message it travels in; it is complete when the target has acknowledged all
 * messages up to that number. An acknowledgement is requested when somebody wants it, and stands
 * for all messages before it. All functions are an agent's.
 */
#ifndef PGASI_NET_UCX_NUMBERED_H
#define PGASI_NET_UCX_NUMBERED_H

#include <stdbool.h>
#include <stdint.h>

#include <ucs/type/status.h>

#include "net/ucx/initiator.h"
#include "net/ucx/wire.h"

/** The messages to one thread. The counts never wrap: 64 bits of messages last for centuries. */
typedef struct pgasi_ucx_target {
    /** The last number that a message has, or will have that waits to be sent: `sent`, or one more.
     */
    uint64_t assigned;
    /** Messages sent, those whose acknowledgement is requested, those acknowledged. */
    uint64_t sent;
    uint64_t requested;
    uint64_t acked;
    /** The last that was given to the initiator worker, and the last of which that has nothing left
     *  to do (signal.c). */
    uint64_t posted;
    uint64_t flushed;
} pgasi_ucx_target_t;

/** Says what acknowledgements call, in the agent that they come to. */
void pgasi_ucx_numbered_start(void (*on_acked)(uint32_t thread));

/** Makes the calling agent's worker accept acknowledgements. */
ucs_status_t pgasi_ucx_numbered_accept(void);

/** Gives the header of a message to a thread, which the initiator worker sends now, its number;
 *  requests an acknowledgement of it, and of all before it, if `wants_ack`. */
void pgasi_ucx_number(pgasi_ucx_numbered_t *header, uint32_t thread, bool wants_ack);

/** Gives the next numbers to `count` messages to a thread, which the background worker sends now
 * and which want no acknowledgement; returns the first. */
static inline uint64_t pgasi_ucx_number_parts(uint32_t thread, uint32_t count)
{
    pgasi_ucx_target_t *target = &pgasi_ucx_me->targets[thread];
    uint64_t first = target->sent + 1;
    target->sent += count;
    target->assigned = target->sent;
    return first;
}

/** Assigns the next number to a message to a thread that waits to be sent; no other is sent before
 *  it. */
static inline void pgasi_ucx_number_ahead(uint32_t thread)
{
    pgasi_ucx_me->targets[thread].assigned = pgasi_ucx_me->targets[thread].sent + 1;
}

/** Whether all messages to a thread are acknowledged, but one that waits to be sent. */
static inline bool pgasi_ucx_numbered_is_idle(uint32_t thread)
{
    return pgasi_ucx_me->targets[thread].acked == pgasi_ucx_me->targets[thread].sent;
}

/*
 * A handle has the target's number + 1 and the low 40 bits of the message's number.
 *
 * Numbers in flight are those behind `acked`, up to `assigned`. There are never 2^40 of them: each
 * is a message that nobody has acknowledged. So a number n of which 40 bits are known is in flight
 * if and only if assigned - n, in 40 bits, is less than assigned - acked. Hence an operation in
 * flight is never taken for a complete one, however often the 40 bits have gone round. A handle
 * that was kept while exactly 2^40 messages (or a multiple) followed is taken for one in flight;
 * waiting for it waits for that one, which completes.
 */
enum {
    PGASI_UCX_NUMBER_BITS = 40
};

#define PGASI_UCX_NUMBER_MASK (((uint64_t)1 << PGASI_UCX_NUMBER_BITS) - 1)

/** The handle of what travels in the message that a number was assigned to last. */
static inline uint64_t pgasi_ucx_numbered_handle(uint32_t thread)
{
    return (uint64_t)(thread + 1) << PGASI_UCX_NUMBER_BITS |
           (pgasi_ucx_me->targets[thread].assigned & PGASI_UCX_NUMBER_MASK);
}

/** True for the handle of a numbered put. */
static inline bool pgasi_ucx_is_numbered(uint64_t handle)
{
    return handle != 0 && (handle & PGASI_UCX_IS_OPERATION) == 0;
}

/** The following are for such handles. */
static inline uint32_t pgasi_ucx_numbered_target(uint64_t handle)
{
    return (uint32_t)(handle >> PGASI_UCX_NUMBER_BITS) - 1;
}

/** Whether the handle's number is one of the last, up to `assigned`, behind `before`. */
static inline bool pgasi_ucx_numbered_is_behind(const pgasi_ucx_target_t *target, uint64_t before,
                                                uint64_t handle)
{
    return ((target->assigned - handle) & PGASI_UCX_NUMBER_MASK) < target->assigned - before;
}

static inline bool pgasi_ucx_numbered_is_done(uint64_t handle)
{
    const pgasi_ucx_target_t *target = &pgasi_ucx_me->targets[pgasi_ucx_numbered_target(handle)];
    return !pgasi_ucx_numbered_is_behind(target, target->acked, handle);
}

/** Whether an acknowledgement is requested. Of puts that are not done. */
static inline bool pgasi_ucx_numbered_is_requested(uint64_t handle)
{
    const pgasi_ucx_target_t *target = &pgasi_ucx_me->targets[pgasi_ucx_numbered_target(handle)];
    return !pgasi_ucx_numbered_is_behind(target, target->requested, handle);
}

#endif
