#include "sync/missing.h"

#include <stdio.h>

#include "node/activity.h"
#include "node/watchdog.h"

enum {
    REPLY_MS = 500,
    /* If many are missing, the first ones suffice. */
    MOST_NAMED = 4
};

int32_t pgasi_missing_node(pgasi_guard_t *guard, const pgasi_dissemination_t *state, uint32_t mine,
                           uint32_t nodes)
{
    int32_t node = -1;
    pgasi_guard_lock(guard);
    if (state->is_running)
        node = (int32_t)pgasi_dissemination_source(mine, nodes, state->round);
    pgasi_guard_unlock(guard);
    return node;
}

pgasi_missing_list_t pgasi_missing_begin(pgasi_missing_t *missing)
{
    missing->who[0] = '\0';
    return (pgasi_missing_list_t){.text = missing->who, .size = sizeof missing->who};
}

void pgasi_missing_add(pgasi_missing_list_t *list, const char *label, uint32_t thread)
{
    char doing[PGASI_WAIT_TEXT + 64];
    if (++list->count > MOST_NAMED || list->used >= list->size)
        return;
    pgasi_activity_describe(thread, doing, sizeof doing);
    list->used += (size_t)snprintf(list->text + list->used, list->size - list->used, "%s%s%u %s",
                                   list->count > 1 ? "; " : "", label, thread, doing);
}

void pgasi_missing_end(pgasi_missing_list_t *list)
{
    if (list->count > MOST_NAMED && list->used < list->size)
        snprintf(list->text + list->used, list->size - list->used, "; and %u more",
                 list->count - MOST_NAMED);
}

static bool may_ask(void)
{
    return pgasi_watch_is_telling() && pgasi_net_may_call();
}

bool pgasi_missing_ask(uint32_t thread, pgasi_net_service_t service, const void *request,
                       size_t size, pgasi_missing_t *reply)
{
    if (!may_ask() ||
        !pgasi_net_call_within(REPLY_MS, thread, service, request, size, reply, sizeof *reply))
        return false;
    reply->who[sizeof reply->who - 1] = '\0';
    return true;
}

pgasi_trace_t pgasi_missing_follow(pgasi_missing_ask_t ask, uint32_t mine, uint32_t nodes,
                                   uint32_t *node, pgasi_missing_t *missing)
{
    missing->waits_for = (int32_t)*node;
    missing->who[0] = '\0';
    for (uint32_t asked = 0; missing->waits_for >= 0 && asked < nodes; asked++) {
        *node = (uint32_t)missing->waits_for;
        if (!ask(*node, missing) || missing->waits_for >= (int32_t)nodes)
            return PGASI_TRACE_SILENT;
        if (missing->waits_for == (int32_t)mine)
            return PGASI_TRACE_CIRCLE;
    }
    return PGASI_TRACE_END;
}

void pgasi_missing_say(pgasi_trace_t trace, uint32_t mine, uint32_t node, uint32_t thread,
                       char *text, size_t size)
{
    if (trace == PGASI_TRACE_CIRCLE)
        snprintf(text, size, "node %u of thread %u waits for node %u in turn", node, thread, mine);
    else
        snprintf(text, size, "node %u of thread %u has not signalled%s", node, thread,
                 trace == PGASI_TRACE_SILENT && may_ask() ? " and does not tell why" : "");
}
