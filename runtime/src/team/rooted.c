#include "team/rooted.h"

#include <stdatomic.h>

#include <pgas/detail.h>

#include "base/turn.h"
#include "sync/barrier.h"
#include "sync/wait.h"
#include "team/meet.h"
#include "team/part.h"
#include "team/watch.h"

/* Where a root is, and the phase that others want it to have come to. */
typedef struct root {
    const pgasi_team_board_t *board;
    uint32_t phase;
} root_t;

static root_t root_of(const pgasi_lane_t *lane, uint32_t rank)
{
    pgas_ptr_t at = pgasi_team_board(lane, rank);
    return (root_t){(const void *)(pgasi_job.peers[at.thread].base + at.offset),
                    lane->phase_before + 1};
}

/* A root goes no further than to the next phase, for which it waits until all have come to this
 * one. */
static bool has_root_come(const void *argument)
{
    const root_t *root = argument;
    uint32_t at = (uint32_t)atomic_load_explicit(&root->board->arrived, memory_order_acquire);
    return at - root->phase <= 1;
}

/* The last one to come compares the calls of all, but then the root's bytes have been used. */
static void check_root(const pgasi_lane_t *lane, const root_t *root)
{
    uint64_t arrived = atomic_load_explicit(&root->board->arrived, memory_order_acquire);
    if ((uint32_t)arrived == root->phase && arrived >> 32 != lane->board->call.signature)
        pgasi_team_differ(lane->team, &lane->board->call, &root->board->call);
}

/* The sleeper has shown itself before it looks at the board, which was written before. */
static void wake_for_root(pgasi_team_part_t *part)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&part->root_came.sleepers, memory_order_relaxed) > 0)
        pgasi_event_raise(&part->root_came, 1);
}

/* Of two members on one node, who waits for the root waits for all. */
static bool is_pair(const pgasi_team_part_t *part)
{
    return part->nodes == 1 && part->locals <= 2;
}

/* Whether the caller need not wait for all. Between nodes a progress thread sees to it that what it
 * has sent leaves. Messages for a node come to its lowest member, who so waits for what a root
 * waits for, and with more than two nodes passes on what others wait for. */
static bool may_leave_early(const pgasi_lane_t *lane, uint32_t root, pgasi_rooted_t direction)
{
    const pgasi_team_part_t *part = lane->part;
    bool is_root = root == lane->team->rank;
    bool is_of_node = pgasi_team_is_on_node(lane->team, root);
    bool is_lowest = lane->team->place == 0;
    if (part->nodes > 1 && !pgasi_turn_is_shared)
        return false;
    if (direction == PGASI_ROOTED_FROM)
        return is_of_node && part->nodes <= 2 && (is_root || !is_pair(part));
    return !is_root && !(is_lowest && (part->nodes > 2 || (part->nodes > 1 && is_of_node)));
}

/* Whether it needs what the root shows. */
static bool awaits_root(const pgasi_lane_t *lane, uint32_t root, pgasi_rooted_t direction)
{
    return direction == PGASI_ROOTED_FROM && root != lane->team->rank;
}

void pgasi_team_arrive_root(pgasi_lane_t *lane, const pgasi_call_t *call, uint32_t root,
                            pgasi_rooted_t direction)
{
    pgasi_team_arrive(lane, call);
    if (direction == PGASI_ROOTED_FROM && root == lane->team->rank && lane->part->locals > 1 &&
        !is_pair(lane->part))
        wake_for_root(lane->part);
}

bool pgasi_team_can_leave(const pgasi_lane_t *lane, uint32_t root, pgasi_rooted_t direction)
{
    if (pgasi_team_has_met(lane))
        return true;
    if (!may_leave_early(lane, root, direction))
        return false;
    const root_t at = root_of(lane, root);
    return !awaits_root(lane, root, direction) || has_root_come(&at);
}

void pgasi_team_leave(pgasi_lane_t *lane, uint32_t root, pgasi_rooted_t direction)
{
    const root_t at = root_of(lane, root);
    lane->left_early = true;
    if (pgasi_team_try_settle(lane))
        return;
    if (awaits_root(lane, root, direction))
        check_root(lane, &at);
    pgasi_sync_epoch++;
}

static void wait_for_root(const pgasi_lane_t *lane, uint32_t rank)
{
    const root_t root = root_of(lane, rank);
    pgasi_team_watch(lane);
    pgasi_wait(&lane->part->root_came, has_root_come, &root, 0, pgasi_team_describe);
}

void pgasi_team_meet_root(pgasi_lane_t *lane, const pgasi_call_t *call, uint32_t root,
                          pgasi_rooted_t direction)
{
    pgasi_team_arrive_root(lane, call, root, direction);
    if (!may_leave_early(lane, root, direction)) {
        pgasi_team_meet_end(lane);
        return;
    }
    if (awaits_root(lane, root, direction))
        wait_for_root(lane, root);
    pgasi_team_leave(lane, root, direction);
}

bool pgasi_team_try_settle(pgasi_lane_t *lane)
{
    if (!lane->left_early)
        return true;
    if (!pgasi_team_has_met(lane))
        return false;
    lane->left_early = false;
    pgasi_team_depart(lane);
    return true;
}

void pgasi_team_settle(pgasi_lane_t *lane)
{
    if (!lane->left_early)
        return;
    lane->left_early = false;
    pgasi_team_meet_end(lane);
}

void pgasi_team_settle_lanes(pgas_team_t *team)
{
    for (uint32_t i = 0; i < PGASI_LANES; i++)
        pgasi_team_settle(&team->lanes[i]);
}
