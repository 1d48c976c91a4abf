#include "team/watch.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "net/net.h"
#include "node/activity.h"
#include "node/node.h"
#include "node/segment.h"
#include "node/watchdog.h"
#include "team/part.h"

enum {
    REPLY_MS = 500,
    /* If many are missing, the first ones suffice. */
    MOST_NAMED = 4
};

/* The state of a node in a team's barrier, as sync/barrier_watch.c has it for that of all threads.
 */
typedef struct state {
    int32_t waits_for;
    char missing[PGASI_NET_MESSAGE_MAX - sizeof(int32_t)];
} state_t;

static const pgasi_lane_t *watched;

void pgasi_team_watch(const pgasi_lane_t *lane)
{
    watched = lane;
}

const char *pgasi_team_name(uint64_t id, char *text, size_t size)
{
    static const char *const names[] = {"PGAS_TEAM_ALL", "PGAS_TEAM_NODE", "PGAS_TEAM_LEADERS"};
    if (id < PGASI_KIND_SPLIT)
        snprintf(text, size, "%s", names[id - 1]);
    else
        snprintf(text, size, "team %016" PRIx64, id);
    return text;
}

void pgasi_team_differ(const pgas_team_t *team, const pgasi_call_t *mine, const pgasi_call_t *other)
{
    char here[128];
    char there[128];
    char name[64];
    pgasi_fatal(pgasi_call_name(mine), "on %s thread %u calls %s, but thread %u calls %s",
                pgasi_team_name(team->id, name, sizeof name), mine->thread - 1,
                pgasi_call_describe(mine, here, sizeof here), other->thread - 1,
                pgasi_call_describe(other, there, sizeof there));
}

pgasi_team_part_t *pgasi_team_find_part(const pgasi_team_query_t *query)
{
    if (query->offset < PGASI_TEAMS_BEGIN || query->offset % _Alignof(pgasi_team_part_t) != 0 ||
        query->offset > pgasi_node_memory.stride - offsetof(pgasi_team_part_t, state))
        return NULL;
    pgasi_team_part_t *part = (void *)(pgasi_job.peers[pgasi_job.thread].base + query->offset);
    return part->id == query->id ? part : NULL;
}

/* The places are not there yet while their owner is still in the split. */
static void name_missing(const pgasi_team_part_t *part, char *text, size_t size)
{
    uint32_t phase = atomic_load(&part->phase.value);
    uint32_t count = 0;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < part->locals; i++) {
        pgasi_team_place_t at = pgasi_part_local(part, i);
        const pgasi_team_board_t *board =
            (const void *)(pgasi_job.peers[at.thread].base + at.offset);
        char doing[PGASI_WAIT_TEXT + 64];
        if (at.offset == 0 || atomic_load(&board->arrived) == phase + 1 || ++count > MOST_NAMED ||
            used >= size)
            continue;
        pgasi_activity_describe(at.thread, doing, sizeof doing);
        used += (size_t)snprintf(text + used, size - used, "%srank %u, thread %u %s",
                                 count > 1 ? "; " : "", at.rank, at.thread, doing);
    }
    if (count > MOST_NAMED && used < size)
        snprintf(text + used, size - used, "; and %u more", count - MOST_NAMED);
}

static void describe_part(pgasi_team_part_t *part, state_t *state)
{
    state->waits_for = -1;
    state->missing[0] = '\0';
    if (part->nodes > 1) {
        pgasi_guard_lock(&part->guard);
        if (part->state.is_running)
            state->waits_for =
                (int32_t)pgasi_dissemination_source(part->mine, part->nodes, part->state.round);
        pgasi_guard_unlock(&part->guard);
    }
    if (state->waits_for < 0)
        name_missing(part, state->missing, sizeof state->missing);
}

size_t pgasi_team_reply(pgasi_team_part_t *part, void *reply)
{
    state_t state;
    memset(&state, 0, sizeof state);
    describe_part(part, &state);
    memcpy(reply, &state, sizeof state);
    return sizeof state;
}

static bool query(pgasi_team_place_t at, state_t *state)
{
    pgasi_team_query_t request = {.offset = at.offset, .id = watched->team->id};
    return pgasi_watch_is_telling() && pgasi_net_may_call() &&
           pgasi_net_call_within(REPLY_MS, at.thread, PGASI_SERVICE_TEAM, &request, sizeof request,
                                 state, sizeof *state);
}

/* Follows the nodes, each of which waits for the next, to one whose own members are missing. */
static void describe_others(const char *what, uint32_t node, char *text, size_t size)
{
    state_t state = {.waits_for = (int32_t)node};
    pgasi_team_place_t at = pgasi_part_node(watched->part, node);
    bool replied = true;
    for (uint32_t queried = 0; state.waits_for >= 0 && replied && queried < watched->part->nodes;
         queried++) {
        at = pgasi_part_node(watched->part, (uint32_t)state.waits_for);
        replied = query(at, &state);
    }
    uint32_t named = pgasi_job.peers[at.thread].node;
    if (replied && state.missing[0] != '\0')
        snprintf(text, size, "%s, all members on node %u have come, on node %u is missing: %s",
                 what, pgasi_nodes.mine, named, state.missing);
    else
        snprintf(text, size,
                 "%s, all members on node %u have come, node %u of thread %u has not signalled%s",
                 what, pgasi_nodes.mine, named, at.thread, replied ? "" : " and does not tell why");
}

void pgasi_team_describe(char *text, size_t size)
{
    pgasi_team_part_t *part = watched->part;
    char call[96];
    char name[48];
    char what[160];
    state_t state;
    snprintf(what, sizeof what, "%s on %s",
             pgasi_call_describe(&watched->board->call, call, sizeof call),
             pgasi_team_name(watched->team->id, name, sizeof name));
    describe_part(part, &state);
    if (state.waits_for >= 0)
        describe_others(what, (uint32_t)state.waits_for, text, size);
    else
        snprintf(text, size, "%s, %u of its %u members on the node have come, missing: %s", what,
                 (uint32_t)atomic_load(&part->arrived), part->locals, state.missing);
}
