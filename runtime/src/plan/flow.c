#include "plan/plan.h"

#include <stdio.h>

#include <pgas/detail.h>
#include <pgas/ptr.h>

#include "net/net.h"
#include "sync/wait.h"

/*
 * Why a message never overwrites one that is still wanted. Message n of a link goes to slot n mod
 * 2, where message n - 2 was. Number n may be packed when n - 2 has been taken, which the sender
 * knows
 *
 *   - from the link the other way round, if there is one (is_mutual): before its begin n the sender
 *     has finished n - 1, so the other side's message n - 1 has come, and that is sent in a begin
 *     that follows the other side's finish n - 2, where it took message n - 2;
 *   - else from `room`, which the receiver raises by one for each message that it has taken. Of the
 *     raises that have come, n - 1 in number, one must belong to message n - 2 or a later one,
 *     and messages are taken in order.
 *
 * Values that are used where they land (PGAS_PLAN_IN_ARRIVAL_ORDER) count as taken at the next
 * begin: the first case still holds, since begin n - 1 follows, and in the second `room` is raised
 * there.
 *
 * Arrivals of a slot are counted by themselves, so that those of n and n + 1 may overtake each
 * other. By the above, those of n + 2 come only after all of n have been seen.
 *
 * Nothing waits in a circle: what an execution waits for was done by the other thread in the same
 * or an earlier one of the calls that all threads make in the same order, and begin n waits only
 * for calls before it.
 *
 * The message of a route is all this for two nodes. Its slot is packed by several threads, each
 * after `room` has told it that all threads of the other node have taken message n - 2; the last to
 * pack sends, and the last to take gives room. A count by slot tells the last, who sets it back:
 * nobody comes to a slot again before all have been there.
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

/* Until the event has been raised to `value`; 32 bits go round. */
static void await(pgasi_event_t *event, uint32_t value)
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

/* What a slot's event has come to when message `number` is there. */
static uint32_t value_after(uint64_t number, size_t nbytes)
{
    return (uint32_t)((number / PGASI_PLAN_SLOTS + 1) * pgasi_net_signals(nbytes));
}

static uint64_t arrived_at(uint64_t port, size_t slot)
{
    return port + offsetof(pgasi_plan_port_t, arrived) + slot * sizeof(pgasi_event_t);
}

static uint64_t room_at(uint64_t port)
{
    return port + offsetof(pgasi_plan_port_t, room);
}

/* Raises an event by a message of `nbytes` bytes, which are there already unless it is on another
 * node. */
static void announce(uint32_t thread, uint64_t event, uint64_t landing, const void *message,
                     size_t nbytes)
{
    char *base = pgasi_job.peers[thread].base;
    if (base != NULL)
        pgasi_event_raise((pgasi_event_t *)(void *)(base + event), pgasi_net_signals(nbytes));
    else
        pgasi_net_put_signal((pgas_ptr_t){.thread = thread, .offset = landing}, message, nbytes,
                             event);
}

static void await_room(pgasi_plan_port_t *port, uint32_t thread, uint64_t number)
{
    awaited.what = "room at";
    awaited.thread = thread;
    awaited.number = number;
    if (number >= PGASI_PLAN_SLOTS)
        await(&port->room, (uint32_t)(number - PGASI_PLAN_SLOTS + 1));
}

void pgasi_plan_await_room(const pgasi_plan_side_t *side)
{
    for (size_t r = 0; r < side->route_count; r++)
        await_room(&side->routes[r].gate->port, side->routes[r].far_leader, side->sent);
    for (size_t l = 0; l < side->link_count; l++) {
        const pgasi_plan_link_t *link = &side->links[l];
        if (link->end != NULL && link->route < 0 && !link->is_mutual)
            await_room(&link->end->port, link->thread, side->sent);
    }
}

void *pgasi_plan_outgoing(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                          const pgasi_plan_link_t *link)
{
    size_t slot = slot_of(side->sent);
    if (link->route >= 0) {
        const pgasi_plan_route_t *route = &side->routes[link->route];
        return route->staging + slot * route->stride + link->part;
    }
    char *base = pgasi_job.peers[link->thread].base;
    if (base != NULL)
        return base + link->far_landing + slot * link->far_stride;
    return side->staging + slot * side->staging_stride + link->staged * plan->layout.elem_size;
}

void pgasi_plan_send(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                     const pgasi_plan_link_t *link, const void *message)
{
    size_t slot = slot_of(side->sent);
    announce(link->thread, arrived_at(link->far_end, slot),
             link->far_landing + slot * link->far_stride, message,
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

void pgasi_plan_send_routes(pgasi_plan_side_t *side)
{
    size_t slot = slot_of(side->sent);
    for (size_t r = 0; r < side->route_count; r++) {
        const pgasi_plan_route_t *route = &side->routes[r];
        if (is_last(&route->gate->packed[slot], route->threads))
            announce(route->far_leader, arrived_at(route->far_gate, slot),
                     route->far_landing + slot * route->stride,
                     route->staging + slot * route->stride, route->nbytes);
    }
    side->sent++;
}

const void *pgasi_plan_arrival(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                               const pgasi_plan_link_t *link)
{
    size_t slot = slot_of(side->received);
    size_t elem_size = plan->layout.elem_size;
    awaited.what = "values from";
    awaited.thread = link->thread;
    awaited.number = side->received;
    if (link->route >= 0) {
        const pgasi_plan_route_t *route = &side->routes[link->route];
        await(&route->gate->port.arrived[slot], value_after(side->received, route->nbytes));
        return route->landing + slot * route->stride + link->part;
    }
    await(&link->end->port.arrived[slot], value_after(side->received, link->count * elem_size));
    return side->landing + slot * side->stride + link->first * elem_size;
}

void pgasi_plan_taken_routes(pgasi_plan_side_t *side)
{
    size_t slot = slot_of(side->received);
    for (size_t r = 0; r < side->route_count; r++) {
        const pgasi_plan_route_t *route = &side->routes[r];
        if (is_last(&route->gate->taken[slot], route->threads))
            announce(route->far_leader, room_at(route->far_gate), route->far_landing, NULL, 0);
    }
    side->received++;
}

void pgasi_plan_taken_links(const pgasi_plan_side_t *side)
{
    for (size_t l = 0; l < side->link_count; l++) {
        const pgasi_plan_link_t *link = &side->links[l];
        if (link->end != NULL && link->route < 0 && !link->is_mutual)
            announce(link->thread, room_at(link->far_end), link->far_end, NULL, 0);
    }
}

void pgasi_plan_settle(const pgasi_plan_side_t *side, uint64_t given)
{
    awaited.what = "the end of";
    awaited.number = side->sent;
    for (size_t r = 0; r < side->route_count; r++) {
        awaited.thread = side->routes[r].far_leader;
        await(&side->routes[r].gate->port.room, (uint32_t)side->sent);
    }
    for (size_t l = 0; l < side->link_count; l++) {
        const pgasi_plan_link_t *link = &side->links[l];
        if (link->end == NULL || link->route >= 0 || link->is_mutual)
            continue;
        awaited.thread = link->thread;
        await(&link->end->port.room, (uint32_t)given);
    }
}
