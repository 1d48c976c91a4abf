/**
 * The loops of latency and flood, the same for every interface that is measured: a file defines the
 * interface's calls under the names below, as static inline functions, and then includes this one.
 *
 *   remote_t, at(remote, offset)       where the partner's memory begins; that many bytes further
 * on get(dst, src, nbytes)              blocking put(dst, src, nbytes) handle_t, COMPLETE a
 * transfer in flight; that is complete start_get(dst, src, nbytes)        returns a handle
 *   start_put(dst, src, nbytes)
 *   wait_for(handle)
 *   start_get_implicit(dst, src, nbytes)
 *   start_put_implicit(dst, src, nbytes)
 *   wait_for_implicit()                for all of them
 */
#ifndef STREAM_TRANSFER_LOOPS_H
#define STREAM_TRANSFER_LOOPS_H

#include <stddef.h>

#include "transfer_kind.h"

/** What a loop works on. */
typedef struct loop {
    remote_t remote;
    char *buffer;
    size_t nbytes;
    /** Slots of `nbytes` in both memories, used in turn. */
    size_t depth;
    /** Of the slots. */
    handle_t *handles;
    size_t count;
} loop_t;

static inline size_t next_slot(const loop_t *loop, size_t slot)
{
    return slot + 1 < loop->depth ? slot + 1 : 0;
}

static void get_blocking(const loop_t *loop)
{
    for (size_t i = 0, slot = 0; i < loop->count; i++, slot = next_slot(loop, slot)) {
        size_t offset = slot * loop->nbytes;
        get(loop->buffer + offset, at(loop->remote, offset), loop->nbytes);
    }
}

static void put_blocking(const loop_t *loop)
{
    for (size_t i = 0, slot = 0; i < loop->count; i++, slot = next_slot(loop, slot)) {
        size_t offset = slot * loop->nbytes;
        put(at(loop->remote, offset), loop->buffer + offset, loop->nbytes);
    }
}

/* Ping-pong: each is waited for at once. */
static void get_explicit_single(const loop_t *loop)
{
    for (size_t i = 0; i < loop->count; i++)
        wait_for(start_get(loop->buffer, loop->remote, loop->nbytes));
}

static void put_explicit_single(const loop_t *loop)
{
    for (size_t i = 0; i < loop->count; i++)
        wait_for(start_put(loop->remote, loop->buffer, loop->nbytes));
}

/* Flood: a slot is used again when its transfer is complete. */
static void get_explicit(const loop_t *loop)
{
    for (size_t slot = 0; slot < loop->depth; slot++)
        loop->handles[slot] = COMPLETE;
    for (size_t i = 0, slot = 0; i < loop->count; i++, slot = next_slot(loop, slot)) {
        size_t offset = slot * loop->nbytes;
        wait_for(loop->handles[slot]);
        loop->handles[slot] =
            start_get(loop->buffer + offset, at(loop->remote, offset), loop->nbytes);
    }
    for (size_t slot = 0; slot < loop->depth; slot++)
        wait_for(loop->handles[slot]);
}

static void put_explicit(const loop_t *loop)
{
    for (size_t slot = 0; slot < loop->depth; slot++)
        loop->handles[slot] = COMPLETE;
    for (size_t i = 0, slot = 0; i < loop->count; i++, slot = next_slot(loop, slot)) {
        size_t offset = slot * loop->nbytes;
        wait_for(loop->handles[slot]);
        loop->handles[slot] =
            start_put(at(loop->remote, offset), loop->buffer + offset, loop->nbytes);
    }
    for (size_t slot = 0; slot < loop->depth; slot++)
        wait_for(loop->handles[slot]);
}

/* Implicit transfers complete together: as many at a time as may be in flight. */
static void get_implicit(const loop_t *loop)
{
    for (size_t i = 0, slot = 0; i < loop->count; i++) {
        size_t offset = slot * loop->nbytes;
        start_get_implicit(loop->buffer + offset, at(loop->remote, offset), loop->nbytes);
        slot = next_slot(loop, slot);
        if (slot == 0)
            wait_for_implicit();
    }
    wait_for_implicit();
}

static void put_implicit(const loop_t *loop)
{
    for (size_t i = 0, slot = 0; i < loop->count; i++) {
        size_t offset = slot * loop->nbytes;
        start_put_implicit(at(loop->remote, offset), loop->buffer + offset, loop->nbytes);
        slot = next_slot(loop, slot);
        if (slot == 0)
            wait_for_implicit();
    }
    wait_for_implicit();
}

static void run_loop(const loop_t *loop, const stream_transfer_t *transfer)
{
    static void (*const loops[STREAM_MODES][STREAM_OPERATIONS])(const loop_t *) = {
        [STREAM_BLOCKING] = {get_blocking, put_blocking},
        [STREAM_EXPLICIT] = {get_explicit, put_explicit},
        [STREAM_IMPLICIT] = {get_implicit, put_implicit},
    };
    static void (*const singles[STREAM_OPERATIONS])(const loop_t *) = {get_explicit_single,
                                                                       put_explicit_single};
    if (transfer->mode == STREAM_EXPLICIT && transfer->depth == 1)
        singles[transfer->operation](loop);
    else
        loops[transfer->mode][transfer->operation](loop);
}

#endif
