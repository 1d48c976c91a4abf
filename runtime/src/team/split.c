#include <pgas/team.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/turn.h"
#include "copy/async.h"
#include "copy/group.h"
#include "heap/heap_node.h"
#include "node/activity.h"
#include "node/node.h"
#include "sync/wait.h"
#include "team/calls.h"
#include "team/meet.h"
#include "team/part.h"
#include "team/rooted.h"
#include "team/stage.h"
#include "team/team.h"

/*
 * A split takes two rounds of the parent. In the first each member shows its colour and key, and
 * reads all others', from which it knows its team. Then it makes its board, and the lowest member
 * of each node the node's part; in the second round they show where these are. The meeting of that
 * round comes after all parts exist, so no signal of the new team comes before its receiver's part.
 * The places in a part are written afterwards, by its owner, who has not arrived on the new team
 * then, so that nobody of its node sends signals yet.
 */

/* What a member shows in the first round. */
typedef struct wish {
    int64_t colour;
    int64_t key;
    /* Of a list: what all its members must have given. */
    uint64_t list;
} wish_t;

/* A member of the new team: its wish's key and its rank in the parent. */
typedef struct candidate {
    int64_t key;
    uint32_t rank;
} candidate_t;

/* What it shows in the second round. */
typedef struct place {
    uint64_t board;
    /* 0 in all but the lowest member of a node. */
    uint64_t part;
    uint64_t has_failed;
} place_t;

static const int64_t NO_COLOUR = INT64_MIN;

/* The same on all members, and different for all teams: by parent, by the parent's splits, and by
 * the lowest member in the parent. */
static uint64_t id_of(const pgas_team_t *parent, uint32_t lowest)
{
    uint64_t id = pgasi_hash_add(parent->id, parent->splits);
    id = pgasi_hash_add(pgasi_hash_add(id, lowest), parent->size);
    return id >= PGASI_KIND_SPLIT ? id : id + PGASI_KIND_SPLIT;
}

static const char *current_call(void)
{
    return pgasi_call_name(&pgasi_activity_of(pgasi_job.thread)->call);
}

static void read_all(const pgasi_lane_t *lane, void *into, size_t size)
{
    pgasi_group_t *group = pgasi_empty_group();
    for (uint32_t rank = 0; rank < lane->team->size; rank++) {
        pgas_ptr_t at = pgasi_stage_find(lane, rank);
        pgasi_count_message(lane->counted, at.thread, size);
        pgasi_start_get(group, (char *)into + rank * size, at, size);
    }
    pgasi_group_wait(group);
}

static int compare_candidates(const void *a, const void *b)
{
    const candidate_t *x = a;
    const candidate_t *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* For qsort, which has no context. */
static const uint32_t *members_to_sort;

static int compare_threads(const void *a, const void *b)
{
    uint32_t x = members_to_sort[*(const uint32_t *)a];
    uint32_t y = members_to_sort[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

/* Ends the job if a member of this list has given another one, or has given it otherwise. */
static void check_list(const pgas_team_t *parent, const wish_t *wishes, uint32_t rank)
{
    const wish_t *mine = &wishes[parent->rank];
    if (wishes[rank].list != mine->list)
        pgasi_fatal(current_call(), "thread %u and thread %u give lists that overlap and differ",
                    pgasi_job.thread, pgasi_team_member(parent, rank));
}

static uint32_t choose(const pgas_team_t *parent, const wish_t *wishes, candidate_t *chosen)
{
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < parent->size; rank++)
        if (wishes[rank].colour == wishes[parent->rank].colour) {
            check_list(parent, wishes, rank);
            chosen[count++] = (candidate_t){wishes[rank].key, rank};
        }
    qsort(chosen, count, sizeof *chosen, compare_candidates);
    return count;
}

/* The teams that were freed last stay as empty descriptions, so that calls on them are found. */
enum {
    FREED = 256
};
static pgas_team_t *freed[FREED];
static size_t freed_count;

static void free_private(pgas_team_t *team)
{
    if (team == NULL)
        return;
    free(team->members);
    free(team->sorted);
    free(team->boards);
    free(team->seats);
    *team = (pgas_team_t){.kind = PGASI_KIND_FREED};
    pgas_team_t **place = &freed[freed_count++ % FREED];
    free(*place);
    *place = team;
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
    free_private(team);
    return NULL;
}

/* The private part of the team, from the members in their order. */
static pgas_team_t *create_team(const pgas_team_t *parent, const candidate_t *chosen, uint32_t size)
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

/* What the members, in ascending order of threads, say of the nodes: a node's members need not
 * follow each other there. */
typedef struct nodes {
    uint32_t count;
    uint32_t locals;
    /* The largest number of members on one. */
    uint32_t most;
    /* By node of the job, the lowest member + 1, 0: none; and the number of members. */
    uint32_t *lowest;
    uint32_t *members;
} nodes_t;

static bool find_nodes(const pgas_team_t *team, nodes_t *nodes)
{
    *nodes = (nodes_t){.lowest = calloc(2 * (size_t)pgasi_nodes.count, sizeof *nodes->lowest)};
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
static bool create_shared(pgas_team_t *team, const nodes_t *nodes)
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
    if (team->part_offset != 0)
        pgasi_heap_free_own(pgasi_job.thread, team->part_offset);
}

/* Fills in where the others' boards and parts are, from the places by rank in the parent, and the
 * own place on the node. */
static void connect(pgas_team_t *team, const candidate_t *chosen, const place_t *places,
                    const nodes_t *nodes)
{
    pgasi_team_part_t *own = team->part_offset != 0 ? part_of(team) : NULL;
    uint32_t local = 0;
    for (uint32_t i = 0; i < team->size; i++) {
        uint32_t rank = team->sorted[i];
        uint32_t thread = team->members[rank];
        const place_t *place = &places[chosen[rank].rank];
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

/* A split under way, in one member. */
typedef struct split {
    pgas_team_t *parent;
    pgasi_lane_t *lane;
    pgasi_call_t call;
    wish_t *wishes;
    candidate_t *chosen;
    place_t *places;
    nodes_t nodes;
    pgas_team_t *team;
} split_t;

/* First round. The wishes are read into memory that the failure of an allocation does not stop: all
 * members take part in both rounds. */
static bool read_wishes(split_t *split, const wish_t *mine)
{
    pgas_team_t *parent = split->parent;
    split->wishes = malloc(parent->size * sizeof *split->wishes);
    split->chosen = malloc(parent->size * sizeof *split->chosen);
    split->places = malloc(parent->size * sizeof *split->places);
    bool good = split->wishes != NULL && split->chosen != NULL && split->places != NULL;
    pgasi_stage_show(split->lane, mine, sizeof *mine);
    pgasi_team_meet(split->lane, &split->call);
    if (good)
        read_all(split->lane, split->wishes, sizeof *mine);
    pgasi_stage_end(split->lane);
    return good;
}

static bool create(split_t *split, const wish_t *mine)
{
    if (mine->colour == NO_COLOUR)
        return true;
    uint32_t size = choose(split->parent, split->wishes, split->chosen);
    split->team = create_team(split->parent, split->chosen, size);
    if (split->team == NULL || !find_nodes(split->team, &split->nodes))
        return false;
    split->team->nodes = split->nodes.count;
    split->team->most_on_node = split->nodes.most;
    return create_shared(split->team, &split->nodes);
}

/* Second round. Returns false if a member has failed. */
static bool exchange_places(split_t *split, bool good)
{
    pgas_team_t *parent = split->parent;
    place_t place = {.has_failed = !good};
    if (good && split->team != NULL) {
        place.board = split->team->board_offset;
        place.part = split->team->part_offset;
    }
    pgasi_stage_show(split->lane, &place, sizeof place);
    pgasi_team_meet(split->lane, &split->call);
    if (split->places != NULL)
        read_all(split->lane, split->places, sizeof place);
    pgasi_stage_end(split->lane);
    for (uint32_t rank = 0; rank < parent->size && good; rank++)
        good = !split->places[rank].has_failed;
    return good;
}

static pgas_status_t finish(split_t *split, bool good)
{
    if (good && split->team != NULL)
        connect(split->team, split->chosen, split->places, &split->nodes);
    if (!good && split->team != NULL) {
        free_shared(split->team);
        free_private(split->team);
        split->team = NULL;
    }
    free(split->nodes.lowest);
    free(split->wishes);
    free(split->chosen);
    free(split->places);
    return good ? PGAS_OK : PGAS_ERR_NO_MEMORY;
}

/* A split by what the caller wants, begun by `call`. */
static pgas_status_t split_by(split_t *split, const wish_t *mine, pgas_team_t **team)
{
    bool good = read_wishes(split, mine);
    good = good && create(split, mine);
    if (!good)
        pgasi_log("%s: no memory for a team; PGAS_HEAP_SIZE sets the heap's size", current_call());
    good = exchange_places(split, good);
    pgas_status_t status = finish(split, good);
    split->parent->splits++;
    if (status == PGAS_OK)
        *team = split->team;
    return status;
}

static void end(pgas_status_t status, pgas_team_t *const *team)
{
    pgasi_team_end();
    if (status != PGAS_OK || *team == NULL)
        return;
    pgasi_team_link(*team);
    if (pgasi_team_made != NULL)
        pgasi_team_made(*team);
}

static void begin(split_t *split, pgas_team_t *parent, pgasi_collective_t call, pgas_team_t **team)
{
    *split = (split_t){.parent = parent, .call = {.call = call}};
    const char *name = pgasi_call_name(&split->call);
    split->lane = pgasi_team_begin_now(name, parent, &split->call);
    split->lane->counted = pgasi_count_call(call, 0, "");
    if (team == NULL)
        pgasi_fatal(name, "there is no place for the team: the pointer is NULL");
}

pgas_status_t pgas_team_split(pgas_team_t *parent, int colour, int key, pgas_team_t **team)
{
    split_t split;
    begin(&split, parent, PGASI_TEAM_SPLIT, team);
    wish_t wish = {.colour = colour == PGAS_NO_TEAM ? NO_COLOUR : colour, .key = key};
    pgas_status_t status = split_by(&split, &wish, team);
    end(status, team);
    return status;
}

static int compare_ranks(const void *a, const void *b)
{
    int x = *(const int *)a;
    int y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Checks the list; returns its lowest rank, by which its members find each other. */
static int check_ranks(const pgas_team_t *parent, const int *ranks, size_t count)
{
    if (count > parent->size)
        pgasi_fatal("pgas_team_create", "%zu ranks are listed, in a team of %u", count,
                    parent->size);
    int *sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL)
        pgasi_fatal("pgas_team_create", "no memory for a list of %zu ranks", count);
    memcpy(sorted, ranks, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_ranks);
    for (size_t i = 0; i < count; i++) {
        if (sorted[i] < 0 || (uint32_t)sorted[i] >= parent->size)
            pgasi_fatal("pgas_team_create", "there is no rank %d in a team of %u", sorted[i],
                        parent->size);
        if (i > 0 && sorted[i] == sorted[i - 1])
            pgasi_fatal("pgas_team_create", "rank %d is listed twice", sorted[i]);
    }
    int lowest = sorted[0];
    free(sorted);
    return lowest;
}

static wish_t wish_for(const pgas_team_t *parent, const int *ranks, size_t count)
{
    wish_t wish = {.colour = NO_COLOUR, .key = -1, .list = count};
    if (count == 0)
        return wish;
    wish.colour = check_ranks(parent, ranks, count);
    for (size_t i = 0; i < count; i++) {
        wish.list = pgasi_hash_add(wish.list, (uint64_t)ranks[i]);
        if ((uint32_t)ranks[i] == parent->rank)
            wish.key = (int64_t)i;
    }
    if (wish.key < 0)
        pgasi_fatal("pgas_team_create", "the list does not have the caller's rank %u",
                    parent->rank);
    return wish;
}

pgas_status_t pgas_team_create(pgas_team_t *parent, const int *ranks, size_t count,
                               pgas_team_t **team)
{
    split_t split;
    begin(&split, parent, PGASI_TEAM_CREATE, team);
    if (count > 0 && ranks == NULL)
        pgasi_fatal(__func__, "there is no list of ranks: the pointer is NULL");
    wish_t wish = wish_for(parent, ranks, count);
    pgas_status_t status = split_by(&split, &wish, team);
    if (status == PGAS_OK && *team != NULL && (*team)->size != count)
        pgasi_fatal(__func__, "%zu ranks are listed, but %u of them give this list", count,
                    (*team)->size);
    end(status, team);
    return status;
}

/* For the watchdog. */
static void describe_leaving(char *text, size_t size)
{
    strncpy(text, "members of the node to leave a team that is freed", size - 1);
    text[size - 1] = '\0';
}

/* The part is freed when all members of the node have left its last barrier. */
static void wait_until_left(pgasi_team_part_t *part)
{
    uint32_t left = atomic_load(&part->left.value);
    while (left < part->locals) {
        pgasi_event_wait(&part->left, left, describe_leaving);
        left = atomic_load(&part->left.value);
    }
}

/* Before the call takes a lane: a lane that is busy would be waited for. */
static void require_idle(const pgas_team_t *team)
{
    /* Another thread that has completed one may not have left the team yet. */
    bool must_leave = pgasi_turn_take();
    size_t in_flight = team->in_flight;
    if (must_leave)
        pgasi_turn_leave();
    if (in_flight > 0)
        pgasi_fatal("pgas_team_free", "called while %zu collective%s in flight on the team",
                    in_flight, in_flight == 1 ? " is" : "s are");
}

void pgas_team_free(pgas_team_t *team)
{
    if (team == NULL)
        return;
    require_idle(team);
    pgasi_call_t call = {.call = PGASI_TEAM_FREE};
    pgasi_lane_t *lane = pgasi_team_begin_now(__func__, team, &call);
    lane->counted = pgasi_count_call(PGASI_TEAM_FREE, 0, "");
    if (team->kind != PGASI_KIND_SPLIT)
        pgasi_fatal(__func__, "a predefined team is not freed");
    pgasi_team_meet(lane, &call);
    pgasi_team_settle_lanes(team);
    if (pgasi_team_ends != NULL)
        pgasi_team_ends(team);
    pgasi_event_raise(&lane->part->left, 1);
    if (team->part_offset != 0)
        wait_until_left(lane->part);
    pgasi_team_unlink(team);
    free_shared(team);
    free_private(team);
    pgasi_team_end();
}
