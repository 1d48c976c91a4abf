#include "team/watch.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/turn.h"
#include "node/node.h"
#include "node/segment.h"
#include "sync/missing.h"
#include "team/part.h"

static const pgasi_lane_t *watched;

/* Held while a question of another node is answered, which may come when the team is freed already:
 * its sender does not wait for the answer. */
static pgasi_guard_t answering;

void pgasi_team_watch(const pgasi_lane_t *lane)
{
    watched = lane;
}

/* Writes the team's name, "team 8f3a0c2d51e6b794" or "PGAS_TEAM_NODE". Returns `text`. */
static const char *name_of(uint64_t id, char *text, size_t size)
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
    char counts[192];
    if (pgasi_call_counts_differ(mine, other, team->size, counts, sizeof counts))
        pgasi_fatal(pgasi_call_name(mine), "on %s %s", name_of(team->id, name, sizeof name),
                    counts);
    pgasi_call_describe(mine, here, sizeof here);
    pgasi_call_describe(other, there, sizeof there);
    pgasi_fatal(pgasi_call_name(mine), "on %s thread %u calls %s, but thread %u calls %s%s",
                name_of(team->id, name, sizeof name), mine->thread - 1, here, other->thread - 1,
                there, strcmp(here, there) == 0 ? " with other flags (ALLSYNC)" : "");
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
static void name_missing(const pgasi_team_part_t *part, pgasi_missing_t *missing)
{
    uint32_t phase = atomic_load(&part->phase.value);
    pgasi_missing_list_t list = pgasi_missing_begin(missing);
    for (uint32_t i = 0; i < part->locals; i++) {
        pgasi_team_place_t at = pgasi_part_local(part, i);
        const pgasi_team_board_t *board =
            (const void *)(pgasi_job.peers[at.thread].base + at.offset);
        if (at.offset == 0 || (uint32_t)atomic_load(&board->arrived) == phase + 1)
            continue;
        char label[32];
        snprintf(label, sizeof label, "rank %u, thread ", at.rank);
        pgasi_missing_add(&list, label, at.thread);
    }
    pgasi_missing_end(&list);
}

static void describe_part(pgasi_team_part_t *part, pgasi_missing_t *missing)
{
    memset(missing, 0, sizeof *missing);
    missing->waits_for = -1;
    if (part->nodes > 1)
        missing->waits_for =
            pgasi_missing_node(&part->guard, &part->state, part->mine, part->nodes);
    if (missing->waits_for < 0)
        name_missing(part, missing);
}

size_t pgasi_team_reply(const pgasi_team_query_t *query, void *reply)
{
    pgasi_missing_t missing;
    pgasi_guard_lock(&answering);
    pgasi_team_part_t *part = pgasi_team_find_part(query);
    if (part != NULL)
        describe_part(part, &missing);
    pgasi_guard_unlock(&answering);
    if (part == NULL)
        return 0;
    memcpy(reply, &missing, sizeof missing);
    return sizeof missing;
}

/* Where a part lies depends on the first one's team: so that comes last. */
void pgasi_team_forget_parts(pgasi_team_part_t *first)
{
    pgasi_guard_lock(&answering);
    for (uint32_t lane = PGASI_LANES; lane-- > 0;)
        pgasi_part_of_lane(first, lane)->id = 0;
    pgasi_guard_unlock(&answering);
}

static bool ask(uint32_t node, pgasi_missing_t *reply)
{
    pgasi_team_place_t at = pgasi_part_node(watched->part, node);
    pgasi_team_query_t request = {.offset = at.offset, .id = watched->team->id};
    return pgasi_missing_ask(at.thread, PGASI_SERVICE_TEAM, &request, sizeof request, reply);
}

static void describe_others(const char *what, uint32_t node, char *text, size_t size)
{
    pgasi_missing_t missing;
    pgasi_trace_t trace =
        pgasi_missing_follow(ask, watched->part->mine, watched->part->nodes, &node, &missing);
    uint32_t thread = pgasi_part_node(watched->part, node).thread;
    uint32_t named = pgasi_job.peers[thread].node;
    char where[128];
    pgasi_missing_say(trace, pgasi_nodes.mine, named, thread, where, sizeof where);
    if (trace == PGASI_TRACE_END && missing.who[0] != '\0')
        snprintf(text, size, "%s, all members on node %u have come, on node %u is missing: %s",
                 what, pgasi_nodes.mine, named, missing.who);
    else
        snprintf(text, size, "%s, all members on node %u have come, %s", what, pgasi_nodes.mine,
                 where);
}

static void describe(char *text, size_t size)
{
    pgasi_team_part_t *part = watched->part;
    char call[96];
    char name[48];
    char what[160];
    pgasi_missing_t missing;
    snprintf(what, sizeof what, "%s on %s",
             pgasi_call_describe(&watched->board->call, call, sizeof call),
             name_of(watched->team->id, name, sizeof name));
    describe_part(part, &missing);
    if (missing.waits_for >= 0)
        describe_others(what, (uint32_t)missing.waits_for, text, size);
    else
        snprintf(text, size, "%s, %u of its %u members on the node have come, missing: %s", what,
                 pgasi_attendance_count(&part->attendance, &part->few), part->locals, missing.who);
}

/* The lane stands still meanwhile. */
void pgasi_team_describe(char *text, size_t size)
{
    bool must_leave = pgasi_turn_take();
    describe(text, size);
    if (must_leave)
        pgasi_turn_leave();
}
