#include "sync/barrier_watch.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <pgas/detail.h>

#include "node/activity.h"
#include "node/node.h"
#include "node/segment.h"
#include "sync/missing.h"

static bool has_arrived(uint32_t thread, uint32_t generation)
{
    return atomic_load(&pgasi_activity_of(thread)->arrived) == generation + 1;
}

static void name_missing(pgasi_missing_t *missing)
{
    const pgasi_barrier_t *barrier = &pgasi_node_memory.control->barrier;
    uint32_t generation = atomic_load(&barrier->generation.value);
    pgasi_missing_list_t list = pgasi_missing_begin(missing);
    for (uint32_t i = 0; i < pgasi_nodes.threads_count; i++) {
        uint32_t thread = pgasi_nodes.threads[i];
        if (!has_arrived(thread, generation))
            pgasi_missing_add(&list, "thread ", thread);
    }
    pgasi_missing_end(&list);
}

static void describe_node(pgasi_missing_t *missing)
{
    pgasi_barrier_between_t *between = &pgasi_node_memory.control->between;
    memset(missing, 0, sizeof *missing);
    missing->waits_for = -1;
    if (pgasi_nodes.count > 1)
        missing->waits_for = pgasi_missing_node(&between->guard, &between->state, pgasi_nodes.mine,
                                                pgasi_nodes.count);
    if (missing->waits_for < 0)
        name_missing(missing);
}

size_t pgasi_barrier_reply(void *reply)
{
    pgasi_missing_t missing;
    describe_node(&missing);
    memcpy(reply, &missing, sizeof missing);
    return sizeof missing;
}

static bool ask(uint32_t node, pgasi_missing_t *reply)
{
    return pgasi_missing_ask(pgasi_nodes.leaders[node], PGASI_SERVICE_BARRIER, "", 1, reply);
}

static void describe_others(const char *name, uint32_t node, char *text, size_t size)
{
    pgasi_missing_t missing;
    uint32_t mine = pgasi_nodes.mine;
    pgasi_trace_t trace = pgasi_missing_follow(ask, mine, pgasi_nodes.count, &node, &missing);
    char where[128];
    pgasi_missing_say(trace, mine, node, pgasi_nodes.leaders[node], where, sizeof where);
    if (trace == PGASI_TRACE_END && missing.who[0] != '\0')
        snprintf(text, size, "%s, all of node %u have come, of node %u is missing: %s", name, mine,
                 node, missing.who);
    else
        snprintf(text, size, "%s, all of node %u have come, %s", name, mine, where);
}

void pgasi_barrier_describe(const char *name, char *text, size_t size)
{
    pgasi_missing_t missing;
    describe_node(&missing);
    const pgasi_barrier_t *barrier = &pgasi_node_memory.control->barrier;
    uint32_t arrived = pgasi_attendance_count(&barrier->attendance, &barrier->few);
    if (missing.waits_for >= 0)
        describe_others(name, (uint32_t)missing.waits_for, text, size);
    else
        snprintf(text, size, "%s, %u of the node's %u threads have come, missing: %s", name,
                 arrived, pgasi_nodes.threads_count, missing.who);
}
