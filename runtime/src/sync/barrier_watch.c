#include "sync/barrier_watch.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <pgas/detail.h>

#include "net/net.h"
#include "node/activity.h"
#include "node/node.h"
#include "node/segment.h"
#include "sync/wait.h"

enum {
    REPLY_MS = 500,
    /* If many are missing, the first ones suffice. */
    MOST_NAMED = 4
};

/* The state of a node in its barrier. */
typedef struct state {
    /* The node whose signal it waits for when all of its threads have arrived; else -1. */
    int32_t waits_for;
    /* The threads that have not arrived, and what they do; "" if none is known. */
    char missing[PGASI_NET_MESSAGE_MAX - sizeof(int32_t)];
} state_t;

_Static_assert(sizeof(state_t) <= PGASI_NET_MESSAGE_MAX, "a state is a reply");

static bool has_arrived(uint32_t thread, uint32_t generation)
{
    return atomic_load(&pgasi_activity_of(thread)->arrived) == generation + 1;
}

static void name_missing(char *text, size_t size)
{
    const pgasi_barrier_t *barrier = &pgasi_node_memory.control->barrier;
    uint32_t generation = atomic_load(&barrier->generation.value);
    uint32_t count = 0;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < pgasi_nodes.threads_count; i++) {
        uint32_t thread = pgasi_nodes.threads[i];
        char doing[PGASI_WAIT_TEXT + 64];
        if (has_arrived(thread, generation) || ++count > MOST_NAMED || used >= size)
            continue;
        pgasi_activity_describe(thread, doing, sizeof doing);
        used += (size_t)snprintf(text + used, size - used, "%sthread %u %s", count > 1 ? "; " : "",
                                 thread, doing);
    }
    if (count > MOST_NAMED && used < size)
        snprintf(text + used, size - used, "; and %u more", count - MOST_NAMED);
}

static void describe_node(state_t *state)
{
    pgasi_barrier_between_t *between = &pgasi_node_memory.control->between;
    state->waits_for = -1;
    state->missing[0] = '\0';
    if (pgasi_nodes.count > 1) {
        pgasi_guard_lock(&between->guard);
        if (between->state.is_running)
            state->waits_for = (int32_t)pgasi_dissemination_source(
                pgasi_nodes.mine, pgasi_nodes.count, between->state.round);
        pgasi_guard_unlock(&between->guard);
    }
    if (state->waits_for < 0)
        name_missing(state->missing, sizeof state->missing);
}

size_t pgasi_barrier_reply(void *reply)
{
    state_t state;
    memset(&state, 0, sizeof state);
    describe_node(&state);
    memcpy(reply, &state, sizeof state);
    return sizeof state;
}

static bool query(uint32_t node, state_t *state)
{
    return pgasi_watch_is_telling() && pgasi_net_may_call() &&
           pgasi_net_call_within(REPLY_MS, pgasi_nodes.leaders[node], PGASI_SERVICE_BARRIER, "", 1,
                                 state, sizeof *state);
}

/* Follows the nodes, each of which waits for the next, to one whose own threads are missing. */
static void describe_others(const char *name, uint32_t node, char *text, size_t size)
{
    state_t state = {.waits_for = (int32_t)node};
    bool replied = true;
    for (uint32_t queried = 0; state.waits_for >= 0 && replied && queried < pgasi_nodes.count;
         queried++) {
        node = (uint32_t)state.waits_for;
        replied = query(node, &state);
    }
    if (replied && state.missing[0] != '\0')
        snprintf(text, size, "%s, all of node %u have come, of node %u is missing: %s", name,
                 pgasi_nodes.mine, node, state.missing);
    else
        snprintf(text, size,
                 "%s, all of node %u have come, node %u of thread %u has not signalled%s", name,
                 pgasi_nodes.mine, node, pgasi_nodes.leaders[node],
                 replied ? "" : " and does not tell why");
}

void pgasi_barrier_describe(const char *name, char *text, size_t size)
{
    state_t state;
    describe_node(&state);
    uint32_t arrived = (uint32_t)atomic_load(&pgasi_node_memory.control->barrier.arrived);
    if (state.waits_for >= 0)
        describe_others(name, (uint32_t)state.waits_for, text, size);
    else
        snprintf(text, size, "%s, %u of the node's %u threads have come, missing: %s", name,
                 arrived, pgasi_nodes.threads_count, state.missing);
}
