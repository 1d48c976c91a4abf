#include "plan/flow.h"

#include <stdio.h>

#include <pgas/detail.h>
#include <pgas/ptr.h>

#include "net/net.h"
#include "sync/wait.h"

/*
 * Why a message never overwrites one that is still in use. Message n of a link goes to slot n mod
 * 2, where message n - 2 was. The sender may pack number n when the receiver has released n - 2,
 * which the sender knows
 *
 *   - from the link in the other direction, if there is one (is_mutual): before its begin n the
 *     sender has finished n - 1, so the other side's message n - 1 has arrived. The other side
 * sends that in a begin that follows its own finish n - 2, where it released message n - 2;
 *   - else from `credit`, which the receiver raises by one for each message that it has released.
 *     The sender waits for n - 1 raises. One of them must belong to message n - 2 or a later one,
 *     and messages are released in order.
 *
 * Values that are used in the receive buffer (PGAS_PLAN_IN_ARRIVAL_ORDER) are released at the next
 * begin: the first case still holds, since begin n - 1 follows, and in the second `credit` is
 * raised there.
 *
 * Arrivals are counted for each slot separately, so that those of n and n + 1 may overtake each
 * other. By the above, those of n + 2 come only after all of n have been seen.
 *
 * Nothing waits in a circle: what an execution waits for, the other thread has done in the same or
 * an earlier one of the calls that all threads make in the same order, and begin n waits only for
 * calls before it.
 *
 * The message of a node channel is all this for two nodes. Several threads pack its slot, each
 * after `credit` has told it that all threads of the other node have released message n - 2; the
 * last to pack sends, and the last to release gives credit. A count by slot tells who is last and
 * sets it back: nobody comes to a slot again before all have been there.
 */

/* What the calling thread waits for, for the watchdog. */
static struct {
    const char *what;
    uint32_t thread;
    uint64_t number;
} awaited;

static void describe(char *text, size_t size)
{
    snprintf(text, size, "a plan: %s thread %u, execution %zu", awaited.what, awaited.thread,
             (size_t)awaited.number);
}

/* Until the event has been raised to `value`; 32 bits wrap around. */
static void wait_for(pgasi_event_t *event, uint32_t value)
{
    for (;;) {
        uint32_t now = atomic_load_explicit(&event->value, memory_order_acquire);
        if ((int32_t)(now - value) >= 0)
            return;
        pgasi_event_wait(event, now, describe);
    }
}

static size_t slot_of(uint64_t number)
{
    return number % PGASI_PLAN_SLOTS;
}

/* Whether the link's receiver raises its credit: nothing else tells that a slot is free. */
static bool needs_credit(const pgasi_plan_link_t *link)
{
    return link->end != NULL && link->channel < 0 && !link->is_mutual;
}

static void wait_for_credit(pgasi_plan_end_t *end, uint32_t thread, uint64_t number)
{
    awaited.what = "credit from";
    awaited.thread = thread;
    awaited.number = number;
    if (number >= PGASI_PLAN_SLOTS)
        wait_for(&end->doorbell.credit, (uint32_t)(number - PGASI_PLAN_SLOTS + 1));
}

void pgasi_plan_credit_wait(const pgasi_plan_side_t *side)
{
    for (size_t c = 0; c < side->channel_count; c++)
        wait_for_credit(&side->channels[c].node_channel->end, side->channels[c].remote_leader,
                        side->sent);
    for (size_t l = 0; l < side->link_count; l++)
        if (needs_credit(&side->links[l]))
            wait_for_credit(side->links[l].end, side->links[l].thread, side->sent);
}

void *pgasi_plan_send_slot(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                           const pgasi_plan_link_t *link)
{
    size_t slot = slot_of(side->sent);
    if (link->channel >= 0) {
        const pgasi_plan_channel_t *channel = &side->channels[link->channel];
        return channel->send_buffer + slot * channel->stride + link->channel_offset;
    }
    char *base = pgasi_job.peers[link->thread].base;
    if (base != NULL)
        return base + link->remote.receive_buffer + slot * link->remote.stride;
    return side->send_buffer + slot * side->send_stride + link->send_first * plan->layout.elem_size;
}

/* Raises an event at the other end, after `nbytes` bytes: within a node these are in the receive
 * buffer already. */
static void raise_remote(uint32_t thread, uint64_t event, uint64_t receive_buffer,
                         const void *message, size_t nbytes)
{
    char *base = pgasi_job.peers[thread].base;
    if (base != NULL)
        pgasi_event_raise((pgasi_event_t *)(void *)(base + event), pgasi_net_events(nbytes));
    else
        pgasi_net_put_event((pgas_ptr_t){.thread = thread, .offset = receive_buffer}, message,
                            nbytes, event);
}

static void post_message(uint32_t thread, const pgasi_plan_remote_t *remote, size_t slot,
                         const void *message, size_t nbytes)
{
    uint64_t arrived =
        remote->end + offsetof(pgasi_plan_end_t, doorbell.arrived) + slot * sizeof(pgasi_event_t);
    raise_remote(thread, arrived, remote->receive_buffer + slot * remote->stride, message, nbytes);
}

static void post_credit(uint32_t thread, const pgasi_plan_remote_t *remote)
{
    raise_remote(thread, remote->end + offsetof(pgasi_plan_end_t, doorbell.credit), remote->end,
                 NULL, 0);
}

void pgasi_plan_link_post(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                          const pgasi_plan_link_t *link, const void *message)
{
    post_message(link->thread, &link->remote, slot_of(side->sent), message,
                 link->count * plan->layout.elem_size);
}

/* Whether this is the last of `threads` threads to come. */
static bool is_last(_Atomic uint32_t *count, uint32_t threads)
{
    if (atomic_fetch_add(count, 1) + 1 < threads)
        return false;
    atomic_store(count, 0);
    return true;
}

void pgasi_plan_channels_post(pgasi_plan_side_t *side)
{
    size_t slot = slot_of(side->sent);
    for (size_t c = 0; c < side->channel_count; c++) {
        const pgasi_plan_channel_t *channel = &side->channels[c];
        if (is_last(&channel->node_channel->packed[slot], channel->threads))
            post_message(channel->remote_leader, &channel->remote, slot,
                         channel->send_buffer + slot * channel->stride, channel->nbytes);
    }
    side->sent++;
}

/* Until message `number` is in its slot. */
static void wait_for_arrival(pgasi_plan_end_t *end, uint64_t number, size_t nbytes)
{
    uint64_t raises = (number / PGASI_PLAN_SLOTS + 1) * pgasi_net_events(nbytes);
    wait_for(&end->doorbell.arrived[slot_of(number)], (uint32_t)raises);
}

const void *pgasi_plan_arrival_wait(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                                    const pgasi_plan_link_t *link)
{
    size_t slot = slot_of(side->received);
    size_t elem_size = plan->layout.elem_size;
    awaited.what = "values from";
    awaited.thread = link->thread;
    awaited.number = side->received;
    if (link->channel >= 0) {
        const pgasi_plan_channel_t *channel = &side->channels[link->channel];
        wait_for_arrival(&channel->node_channel->end, side->received, channel->nbytes);
        return channel->receive_buffer + slot * channel->stride + link->channel_offset;
    }
    wait_for_arrival(link->end, side->received, link->count * elem_size);
    return side->receive_buffer + slot * side->receive_stride + link->first * elem_size;
}

void pgasi_plan_channels_release(pgasi_plan_side_t *side)
{
    size_t slot = slot_of(side->received);
    for (size_t c = 0; c < side->channel_count; c++) {
        const pgasi_plan_channel_t *channel = &side->channels[c];
        if (is_last(&channel->node_channel->unpacked[slot], channel->threads))
            post_credit(channel->remote_leader, &channel->remote);
    }
    side->received++;
}

void pgasi_plan_links_release(const pgasi_plan_side_t *side)
{
    for (size_t l = 0; l < side->link_count; l++)
        if (needs_credit(&side->links[l]))
            post_credit(side->links[l].thread, &side->links[l].remote);
}

void pgasi_plan_last_credit_wait(const pgasi_plan_side_t *side, uint64_t released)
{
    awaited.what = "the last credit from";
    awaited.number = side->sent;
    for (size_t c = 0; c < side->channel_count; c++) {
        awaited.thread = side->channels[c].remote_leader;
        wait_for(&side->channels[c].node_channel->end.doorbell.credit, (uint32_t)side->sent);
    }
    for (size_t l = 0; l < side->link_count; l++)
        if (needs_credit(&side->links[l])) {
            awaited.thread = side->links[l].thread;
            wait_for(&side->links[l].end->doorbell.credit, (uint32_t)released);
        }
}
