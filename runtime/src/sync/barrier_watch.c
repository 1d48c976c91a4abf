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
    ANSWER_MS = 500,
    /* Of many that are missing the first ones will do. */
    MOST_NAMED = 4
};

/* How a node stands in its barrier. */
typedef struct account {
    /* All of its threads have come, and it waits for a signal of this node; else -1. */
    int32_t waits_for;
    /* Who has not come, and what they do; "" if nobody is known. */
    char missing[PGASI_NET_MESSAGE_MAX - sizeof(int32_t)];
} account_t;

_Static_assert(sizeof(account_t) <= PGASI_NET_MESSAGE_MAX, "an account is an answer");

static bool has_come(uint32_t thread, uint32_t generation)
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
        if (has_come(thread, generation) || ++count > MOST_NAMED || used >= size)
            continue;
        pgasi_activity_describe(thread, doing, sizeof doing);
        used += (size_t)snprintf(text + used, size - used, "%sthread %u %s", count > 1 ? "; " : "",
                                 thread, doing);
    }
    if (count > MOST_NAMED && used < size)
        snprintf(text + used, size - used, "; and %u more", count - MOST_NAMED);
}

static void account_of_this_node(account_t *account)
{
    pgasi_barrier_between_t *between = &pgasi_node_memory.control->between;
    account->waits_for = -1;
    account->missing[0] = '\0';
    if (pgasi_nodes.count > 1) {
        pgasi_guard_lock(&between->guard);
        if (between->state.is_running)
            account->waits_for = (int32_t)pgasi_dissemination_source(
                pgasi_nodes.mine, pgasi_nodes.count, between->state.round);
        pgasi_guard_unlock(&between->guard);
    }
    if (account->waits_for < 0)
        name_missing(account->missing, sizeof account->missing);
}

size_t pgasi_barrier_answer(void *reply)
{
    account_t account;
    memset(&account, 0, sizeof account);
    account_of_this_node(&account);
    memcpy(reply, &account, sizeof account);
    return sizeof account;
}

static bool ask(uint32_t node, account_t *account)
{
    return pgasi_watch_is_telling() && pgasi_net_may_call() &&
           pgasi_net_call_within(ANSWER_MS, pgasi_nodes.leaders[node], PGASI_SERVICE_BARRIER, "", 1,
                                 account, sizeof *account);
}

/* From node to node, each of which waits for the next, to one whose own threads are missing. */
static void describe_others(const char *name, uint32_t node, char *text, size_t size)
{
    account_t account = {.waits_for = (int32_t)node};
    bool answered = true;
    for (uint32_t asked = 0; account.waits_for >= 0 && answered && asked < pgasi_nodes.count;
         asked++) {
        node = (uint32_t)account.waits_for;
        answered = ask(node, &account);
    }
    if (answered && account.missing[0] != '\0')
        snprintf(text, size, "%s, all of node %u have come, of node %u is missing: %s", name,
                 pgasi_nodes.mine, node, account.missing);
    else
        snprintf(text, size,
                 "%s, all of node %u have come, node %u of thread %u has not signalled%s", name,
                 pgasi_nodes.mine, node, pgasi_nodes.leaders[node],
                 answered ? "" : " and does not tell why");
}

void pgasi_barrier_describe(const char *name, char *text, size_t size)
{
    account_t account;
    account_of_this_node(&account);
    uint32_t arrived = (uint32_t)atomic_load(&pgasi_node_memory.control->barrier.arrived);
    if (account.waits_for >= 0)
        describe_others(name, (uint32_t)account.waits_for, text, size);
    else
        snprintf(text, size, "%s, %u of the node's %u threads have come, missing: %s", name,
                 arrived, pgasi_nodes.threads_count, account.missing);
}
