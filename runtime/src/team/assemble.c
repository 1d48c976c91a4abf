#include "team/assemble.h"

#include <stdlib.h>
#include <string.h>

#include <pgas/team.h>

#include "base/hash.h"
#include "heap/heap_node.h"
#include "node/node.h"
#include "team/part.h"
#include "team/team.h"
#include "team/watch.h"

/* The same on all members, and different for all teams: by parent, by the parent's splits, and by
 * the lowest member in the parent. */
static uint64_t id_of(const pgas_team_t *parent, uint32_t lowest)
{
    uint64_t id = pgasi_hash_add(parent->id, parent->splits);
    id = pgasi_hash_add(pgasi_hash_add(id, lowest), parent->size);
    return id >= PGASI_KIND_SPLIT ? id : id + PGASI_KIND_SPLIT;
}

/* For qsort, which has no context. */
static const uint32_t *members_to_sort;

static int compare_threads(const void *a, const void *b)
{
    uint32_t x = members_to_sort[*(const uint32_t *)a];
    uint32_t y = members_to_sort[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

/* The teams that were freed last stay as empty descriptions, so that calls on them are found. */
enum {
    FREED = 256
};
static pgas_team_t *freed[FREED];
static size_t freed_count;

static void keep_empty(pgas_team_t *team)
{
    *team = (pgas_team_t){.kind = PGASI_KIND_FREED};
    pgas_team_t **place = &freed[freed_count++ % FREED];
    free(*place);
    *place = team;
}

static void free_lists(pgas_team_t *team)
{
    free(team->members);
    free(team->sorted);
    free(team->boards);
    free(team->seats);
}

static pgas_team_t *create_private(uint32_t size)
{
    pgas_team_t *team = size > 0 ? calloc(1, sizeof *team) : NULL;
    if (team == NULL)
        return NULL;
    team->kind = PGASI_KIND_SPLIT;
    team->size = size;
    team->members = calloc(size, sizeof *team->members);
    team->sorted = calloc(size, sizeof *team->sorted);
    team->boards = calloc(size, sizeof *team->boards);
    if (team->members != NULL && team->sorted != NULL && team->boards != NULL)
        return team;
    free_lists(team);
    free(team);
    return NULL;
}

/* The private part of the team, from the members in their order. */
static pgas_team_t *create_team(const pgas_team_t *parent, const pgasi_team_candidate_t *chosen,
                                uint32_t size)
{
    pgas_team_t *team = create_private(size);
    if (team == NULL)
        return NULL;
    uint32_t lowest = chosen[0].rank;
    for (uint32_t i = 0; i < size; i++) {
        team->members[i] = pgasi_team_member(parent, chosen[i].rank);
        team->sorted[i] = i;
        if (chosen[i].rank == parent->rank)
            team->rank = i;
        if (chosen[i].rank < lowest)
            lowest = chosen[i].rank;
    }
    team->id = id_of(parent, lowest);
    members_to_sort = team->members;
    qsort(team->sorted, size, sizeof *team->sorted, compare_threads);
    return team;
}

static bool find_nodes(const pgas_team_t *team, pgasi_team_nodes_t *nodes)
{
    *nodes = (pgasi_team_nodes_t){.lowest =
                                      calloc(2 * (size_t)pgasi_nodes.count, sizeof *nodes->lowest)};
    if (nodes->lowest == NULL)
        return false;
    nodes->members = nodes->lowest + pgasi_nodes.count;
    for (uint32_t i = 0; i < team->size; i++) {
        uint32_t thread = team->members[team->sorted[i]];
        uint32_t node = pgasi_job.peers[thread].node;
        nodes->locals += node == pgasi_nodes.mine;
        if (nodes->lowest[node] == 0) {
            nodes->lowest[node] = thread + 1;
            nodes->count++;
        }
        if (++nodes->members[node] > nodes->most)
            nodes->most = nodes->members[node];
    }
    return true;
}

static pgasi_team_part_t *part_of(const pgas_team_t *team)
{
    return (void *)(pgasi_job.peers[pgasi_job.thread].base + team->part_offset);
}

/* The boards, and in the lowest member of a node the parts; the places in them come later. */
static bool create_shared(pgas_team_t *team, const pgasi_team_nodes_t *nodes)
{
    const size_t boards = sizeof(pgasi_team_board_t[PGASI_LANES]);
    uint64_t used;
    team->board_offset = pgasi_heap_alloc_own(boards, &used);
    if (team->board_offset == 0)
        return false;
    memset(pgasi_job.peers[pgasi_job.thread].base + team->board_offset, 0, boards);
    if (nodes->lowest[pgasi_nodes.mine] != pgasi_job.thread + 1)
        return true;
    uint32_t arena = pgasi_arena_size(nodes->count, nodes->most, true);
    size_t size = pgasi_part_size(nodes->count, nodes->locals, arena);
    team->part_offset = pgasi_heap_alloc_own(size, &used);
    if (team->part_offset == 0)
        return false;
    pgasi_part_clear(part_of(team), nodes->count, nodes->locals, arena);
    uint32_t mine = 0;
    for (uint32_t node = 0; node < pgasi_nodes.mine; node++)
        mine += nodes->lowest[node] != 0;
    pgasi_team_set_parts(team, part_of(team), mine, nodes->locals);
    return true;
}

static void free_shared(pgas_team_t *team)
{
    if (team->board_offset != 0)
        pgasi_heap_free_own(pgasi_job.thread, team->board_offset);
    if (team->part_offset == 0)
        return;
    pgasi_team_forget_parts(part_of(team));
    pgasi_heap_free_own(pgasi_job.thread, team->part_offset);
}

void pgasi_team_connect(pgas_team_t *team, const pgasi_team_candidate_t *chosen,
                        const pgasi_team_shown_t *places, const pgasi_team_nodes_t *nodes)
{
    pgasi_team_part_t *own = team->part_offset != 0 ? part_of(team) : NULL;
    uint32_t local = 0;
    for (uint32_t i = 0; i < team->size; i++) {
        uint32_t rank = team->sorted[i];
        uint32_t thread = team->members[rank];
        const pgasi_team_shown_t *place = &places[chosen[rank].rank];
        team->boards[rank] = place->board;
        if (pgasi_job.peers[thread].node != pgasi_nodes.mine)
            continue;
        if (place->part != 0)
            pgasi_team_set_lanes(team, (void *)(pgasi_job.peers[thread].base + place->part));
        if (own != NULL)
            pgasi_part_locals(own)[local] = (pgasi_team_place_t){thread, rank, place->board};
        if (thread == pgasi_job.thread)
            team->place = local;
        local++;
    }
    if (own == NULL || nodes->count == 1)
        return;
    pgasi_team_place_t *next = pgasi_part_nodes(own);
    for (uint32_t node = 0; node < pgasi_nodes.count; node++) {
        if (nodes->lowest[node] == 0)
            continue;
        uint32_t thread = nodes->lowest[node] - 1;
        uint32_t rank = (uint32_t)pgas_team_rank_of(team, (int)thread);
        *next++ = (pgasi_team_place_t){thread, rank, places[chosen[rank].rank].part};
    }
}

void pgasi_team_discard(pgas_team_t *team)
{
    if (team == NULL)
        return;
    free_shared(team);
    free_lists(team);
    free(team);
}

void pgasi_team_disband(pgas_team_t *team)
{
    free_shared(team);
    free_lists(team);
    keep_empty(team);
}

bool pgasi_team_assemble(const pgas_team_t *parent, const pgasi_team_candidate_t *chosen,
                         uint32_t size, pgasi_team_nodes_t *nodes, pgas_team_t **made)
{
    pgas_team_t *team = create_team(parent, chosen, size);
    if (team == NULL || !find_nodes(team, nodes)) {
        pgasi_team_discard(team);
        return false;
    }
    team->nodes = nodes->count;
    team->most_on_node = nodes->most;
    if (!create_shared(team, nodes)) {
        free(nodes->lowest);
        nodes->lowest = NULL;
        pgasi_team_discard(team);
        return false;
    }
    *made = team;
    return true;
}
