#include "team/team.h"

#include <stddef.h>
#include <stdlib.h>

#include "node/node.h"
#include "team/calls.h"
#include "team/part.h"
#include "team/rooted.h"
#include "team/spare.h"

pgas_team_t pgasi_team_all;
pgas_team_t pgasi_team_node;
pgas_team_t pgasi_team_leaders;

/* The split teams, the last one made first. */
static pgas_team_t *split_teams;

void (*pgasi_team_made)(pgas_team_t *team);
void (*pgasi_team_ends)(pgas_team_t *team);

void pgasi_team_set_lanes(pgas_team_t *team, pgasi_team_part_t *part)
{
    pgasi_team_board_t *boards =
        (void *)(pgasi_job.peers[pgasi_job.thread].base + team->board_offset);
    for (uint32_t i = 0; i < PGASI_LANES; i++)
        team->lanes[i] = (pgasi_lane_t){
            .team = team, .index = i, .board = &boards[i], .part = pgasi_part_of_lane(part, i)};
}

void pgasi_team_set_parts(const pgas_team_t *team, pgasi_team_part_t *first, uint32_t mine,
                          uint32_t locals)
{
    first->id = team->id;
    first->nodes = team->nodes;
    for (uint32_t i = 0; i < PGASI_LANES; i++) {
        pgasi_team_part_t *part = pgasi_part_of_lane(first, i);
        part->id = team->id;
        part->nodes = team->nodes;
        part->arena =
            pgasi_arena_size(team->nodes, team->most_on_node, team->kind == PGASI_KIND_SPLIT);
        part->mine = mine;
        part->locals = locals;
        part->lane = i;
    }
}

static uint32_t most_on_node(pgasi_team_kind_t kind)
{
    uint32_t most = 1;
    if (kind == PGASI_KIND_NODE)
        return pgasi_nodes.threads_count;
    for (uint32_t i = 0; i < pgasi_nodes.count && kind == PGASI_KIND_ALL; i++)
        if (pgasi_nodes.sizes[i] > most)
            most = pgasi_nodes.sizes[i];
    return most;
}

/* The lowest thread of each node sets up the node's parts: nobody uses them before the first
 * barrier of all threads. `members` belongs to the table of nodes. */
static void make(pgas_team_t *team, pgasi_team_kind_t kind, uint32_t size, uint32_t rank,
                 const uint32_t *members)
{
    bool is_of_node = kind == PGASI_KIND_NODE;
    uint32_t lowest = pgasi_nodes.threads[0];
    *team = (pgas_team_t){
        .kind = kind,
        .id = kind,
        .size = size,
        .rank = rank,
        .nodes = is_of_node ? 1 : pgasi_nodes.count,
        .most_on_node = most_on_node(kind),
        .place = kind == PGASI_KIND_LEADERS ? 0 : pgasi_nodes.place,
        .members = (uint32_t *)members,
        .board_offset = pgasi_team_fixed_board(kind),
        .part_offset = pgasi_team_fixed_part(kind),
    };
    pgasi_team_part_t *part = (void *)(pgasi_job.peers[lowest].base + team->part_offset);
    if (pgasi_job.thread == lowest)
        pgasi_team_set_parts(team, part, is_of_node ? 0 : pgasi_nodes.mine,
                             kind == PGASI_KIND_LEADERS ? 1 : pgasi_nodes.threads_count);
    pgasi_team_set_lanes(team, part);
}

void pgasi_team_start(void)
{
    pgasi_spare_start();
    make(&pgasi_team_all, PGASI_KIND_ALL, pgasi_job.threads, pgasi_job.thread, NULL);
    make(&pgasi_team_node, PGASI_KIND_NODE, pgasi_nodes.threads_count, pgasi_nodes.place,
         pgasi_nodes.threads);
    if (pgasi_node_is_leader())
        make(&pgasi_team_leaders, PGASI_KIND_LEADERS, pgasi_nodes.count, pgasi_nodes.mine,
             pgasi_nodes.leaders);
}

void pgasi_team_finish(void)
{
    free(pgasi_team_all.seats);
    free(pgasi_team_node.seats);
    free(pgasi_team_leaders.seats);
    pgasi_team_all = (pgas_team_t){0};
    pgasi_team_node = (pgas_team_t){0};
    pgasi_team_leaders = (pgas_team_t){0};
    split_teams = NULL;
}

void pgasi_team_link(pgas_team_t *team)
{
    team->next = split_teams;
    if (split_teams != NULL)
        split_teams->before = team;
    split_teams = team;
}

void pgasi_team_unlink(pgas_team_t *team)
{
    if (team->before != NULL)
        team->before->next = team->next;
    else
        split_teams = team->next;
    if (team->next != NULL)
        team->next->before = team->before;
}

void pgasi_team_settle_all(void)
{
    pgasi_team_settle_lanes(&pgasi_team_all);
    pgasi_team_settle_lanes(&pgasi_team_node);
    pgasi_team_settle_lanes(&pgasi_team_leaders);
    for (pgas_team_t *team = split_teams; team != NULL; team = team->next)
        pgasi_team_settle_lanes(team);
}

int pgas_team_has_me(const pgas_team_t *team)
{
    return team != NULL && team->size > 0;
}

int pgas_team_rank(const pgas_team_t *team)
{
    pgasi_team_require(__func__, team);
    return (int)team->rank;
}

int pgas_team_size(const pgas_team_t *team)
{
    pgasi_team_require(__func__, team);
    return (int)team->size;
}

static int thread_of(const char *call, const pgas_team_t *team, int rank)
{
    pgasi_team_require(call, team);
    if (rank < 0 || (uint32_t)rank >= team->size)
        pgasi_fatal(call, "there is no rank %d in a team of %u", rank, team->size);
    return (int)pgasi_team_member(team, (uint32_t)rank);
}

int pgas_team_thread(const pgas_team_t *team, int rank)
{
    return thread_of(__func__, team, rank);
}

/* The members of the predefined teams are in ascending order. */
static uint32_t rank_in_order(const pgas_team_t *team, uint32_t i)
{
    return team->sorted != NULL ? team->sorted[i] : i;
}

static int rank_of(const char *call, const pgas_team_t *team, int thread)
{
    pgasi_team_require(call, team);
    uint32_t begin = 0;
    uint32_t end = team->size;
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        uint32_t rank = rank_in_order(team, middle);
        int found = (int)pgasi_team_member(team, rank);
        if (found == thread)
            return (int)rank;
        if (found < thread)
            begin = middle + 1;
        else
            end = middle;
    }
    return -1;
}

int pgas_team_rank_of(const pgas_team_t *team, int thread)
{
    return rank_of(__func__, team, thread);
}

int pgas_team_translate(const pgas_team_t *team, int rank, const pgas_team_t *other)
{
    return rank_of(__func__, other, thread_of(__func__, team, rank));
}
