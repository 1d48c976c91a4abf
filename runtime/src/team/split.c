#include <pgas/team.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "copy/async.h"
#include "copy/group.h"
#include "node/activity.h"
#include "team/assemble.h"
#include "team/calls.h"
#include "team/carry.h"
#include "team/meet.h"
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

static const int64_t NO_COLOUR = INT64_MIN;

static const char *current_call(void)
{
    return pgasi_call_name(&pgasi_activity_of(pgasi_job.thread)->call);
}

static void read_all(const pgasi_lane_t *lane, void *into, size_t size)
{
    pgasi_group_t *group = pgasi_empty_group();
    for (uint32_t rank = 0; rank < lane->team->size; rank++) {
        pgas_ptr_t at = pgasi_stage_find(lane, rank);
        pgasi_count_read(lane->counted, rank == lane->team->rank, at.thread, size);
        pgasi_start_get(group, (char *)into + rank * size, at, size);
    }
    pgasi_group_wait(group);
}

static int compare_candidates(const void *a, const void *b)
{
    const pgasi_team_candidate_t *x = a;
    const pgasi_team_candidate_t *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Ends the job if a member of this list has given another one, or has given it otherwise. */
static void check_list(const pgas_team_t *parent, const wish_t *wishes, uint32_t rank)
{
    const wish_t *mine = &wishes[parent->rank];
    if (wishes[rank].list != mine->list)
        pgasi_fatal(current_call(), "thread %u and thread %u give lists that overlap and differ",
                    pgasi_job.thread, pgasi_team_member(parent, rank));
}

static uint32_t choose(const pgas_team_t *parent, const wish_t *wishes,
                       pgasi_team_candidate_t *chosen)
{
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < parent->size; rank++)
        if (wishes[rank].colour == wishes[parent->rank].colour) {
            check_list(parent, wishes, rank);
            chosen[count++] = (pgasi_team_candidate_t){wishes[rank].key, rank};
        }
    qsort(chosen, count, sizeof *chosen, compare_candidates);
    return count;
}

/* A split under way, in one member. */
typedef struct split {
    pgas_team_t *parent;
    pgasi_lane_t *lane;
    pgasi_call_t call;
    wish_t *wishes;
    pgasi_team_candidate_t *chosen;
    pgasi_team_shown_t *places;
    pgasi_team_nodes_t nodes;
    pgas_team_t *team;
    /* Before the first round. */
    bool lacks_memory;
} split_t;

/* With the meeting, where that can be: if each read from all others by messages, all would connect
 * to all. */
static void show(split_t *split, const void *bytes, size_t nbytes)
{
    pgasi_carry_to_all(split->lane, nbytes);
    pgasi_stage_show(split->lane, bytes, nbytes);
    pgasi_team_meet(split->lane, &split->call);
}

/* First round. The wishes are read into memory that the failure of an allocation does not stop: all
 * members take part in both rounds. */
static bool read_wishes(split_t *split, const wish_t *mine)
{
    pgas_team_t *parent = split->parent;
    split->wishes = malloc(parent->size * sizeof *split->wishes);
    split->chosen = malloc(parent->size * sizeof *split->chosen);
    split->places = malloc(parent->size * sizeof *split->places);
    bool good = !split->lacks_memory && split->wishes != NULL && split->chosen != NULL &&
                split->places != NULL;
    show(split, mine, sizeof *mine);
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
    return pgasi_team_assemble(split->parent, split->chosen, size, &split->nodes, &split->team);
}

/* Second round. Returns false if a member has failed. */
static bool exchange_places(split_t *split, bool good)
{
    pgas_team_t *parent = split->parent;
    pgasi_team_shown_t place = {.has_failed = !good};
    if (good && split->team != NULL) {
        place.board = split->team->board_offset;
        place.part = split->team->part_offset;
    }
    show(split, &place, sizeof place);
    if (split->places != NULL)
        read_all(split->lane, split->places, sizeof place);
    else
        good = false;
    pgasi_stage_end(split->lane);
    for (uint32_t rank = 0; rank < parent->size && good; rank++)
        good = !split->places[rank].has_failed;
    return good;
}

static pgas_status_t finish(split_t *split, bool good)
{
    if (good && split->team != NULL)
        pgasi_team_connect(split->team, split->chosen, split->places, &split->nodes);
    if (!good) {
        pgasi_team_discard(split->team);
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
        pgasi_log("%s: no memory for a team, of the process or in the heap, whose size "
                  "PGAS_HEAP_SIZE sets",
                  current_call());
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

/* Ends the job for a rank that is listed twice. Returns false if there is no memory to tell. */
static bool check_twice(const int *ranks, size_t count)
{
    int *sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL)
        return false;
    memcpy(sorted, ranks, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_ranks);
    for (size_t i = 1; i < count; i++)
        if (sorted[i] == sorted[i - 1])
            pgasi_fatal("pgas_team_create", "rank %d is listed twice", sorted[i]);
    free(sorted);
    return true;
}

/* The members of a list find each other by its lowest rank. */
static wish_t wish_for(const pgas_team_t *parent, const int *ranks, size_t count)
{
    wish_t wish = {.colour = NO_COLOUR, .key = -1, .list = count};
    if (count > parent->size)
        pgasi_fatal("pgas_team_create", "%zu ranks are listed, in a team of %u", count,
                    parent->size);
    for (size_t i = 0; i < count; i++) {
        if (ranks[i] < 0 || (uint32_t)ranks[i] >= parent->size)
            pgasi_fatal("pgas_team_create", "there is no rank %d in a team of %u", ranks[i],
                        parent->size);
        wish.list = pgasi_hash_add(wish.list, (uint64_t)ranks[i]);
        if (i == 0 || ranks[i] < wish.colour)
            wish.colour = ranks[i];
        if ((uint32_t)ranks[i] == parent->rank)
            wish.key = (int64_t)i;
    }
    if (count > 0 && wish.key < 0)
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
    split.lacks_memory = count > 0 && !check_twice(ranks, count);
    pgas_status_t status = split_by(&split, &wish, team);
    if (status == PGAS_OK && *team != NULL && (*team)->size != count)
        pgasi_fatal(__func__, "%zu ranks are listed, but %u of them give this list", count,
                    (*team)->size);
    end(status, team);
    return status;
}
