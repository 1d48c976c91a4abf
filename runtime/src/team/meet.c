#include "team/meet.h"

#include <stdatomic.h>

#include <pgas/detail.h>

#include "copy/transfer.h"
#include "node/node.h"
#include "sync/barrier.h"
#include "sync/wait.h"
#include "team/between.h"
#include "team/part.h"
#include "team/watch.h"

/* The signatures of the node's members differ. */
static void check_calls(const pgasi_lane_t *lane)
{
    for (uint32_t i = 0; i < lane->part->locals; i++) {
        pgasi_team_place_t at = pgasi_part_local(lane->part, i);
        const pgasi_team_board_t *other =
            (const void *)(pgasi_job.peers[at.thread].base + at.offset);
        if (other->call.signature != lane->board->call.signature)
            pgasi_team_differ(lane->team, &lane->board->call, &other->call);
    }
}

/* The operands of the node's members become one, which travels. That of the highest rank is in its
 * place already; the others lie behind the positions of the nodes. */
static void combine_operands(const pgasi_lane_t *lane)
{
    const pgasi_team_part_t *part = lane->part;
    const pgasi_joining_t *joining = &lane->joining;
    char *first = pgasi_part_arena(part, lane->phase_before + 1);
    for (uint32_t i = part->locals - 1; i-- > 0;)
        joining->combine(first + (size_t)(part->nodes + i) * lane->carry.block, first,
                         joining->count, joining->type);
}

static void complete_node(const pgasi_lane_t *lane, uint32_t signatures)
{
    pgasi_team_part_t *part = lane->part;
    if (signatures != lane->board->call.signature * part->locals)
        check_calls(lane);
    if (lane->joining.combine != NULL)
        combine_operands(lane);
    if (part->nodes > 1)
        pgasi_team_between_start(lane);
    else
        pgasi_event_set(&part->phase, lane->phase_before + 1);
}

/* What the last one to come reads. */
static void count_operands(const pgasi_lane_t *lane)
{
    for (uint32_t i = 0; i < lane->part->locals; i++) {
        uint32_t thread = pgasi_part_local(lane->part, i).thread;
        pgasi_count_message(lane->counted, thread, lane->joining.nbytes);
        if (thread != pgasi_job.thread)
            pgasi_count_get(thread, lane->joining.nbytes);
    }
}

/* The lowest member of a node stands for it. */
static void count_meeting(const pgasi_lane_t *lane)
{
    const pgasi_team_part_t *part = lane->part;
    const pgasi_carry_t *carry = &lane->carry;
    pgas_traffic_t *remote = &lane->counted->traffic[PGAS_REMOTE];
    pgasi_counter_add(&lane->counted->meetings, 1);
    if (part->nodes == 1 || lane->team->place != 0)
        return;
    if (lane->joining.combine != NULL && part->locals > 1)
        count_operands(lane);
    for (uint32_t round = 0; round < pgasi_dissemination_rounds(part->nodes); round++) {
        pgasi_carried_t carried = pgasi_arena_carried(carry, part->nodes, part->mine, round);
        pgasi_counter_add(&remote->operations, 1);
        pgasi_counter_add(&remote->bytes, (uint64_t)carried.count * carry->block);
    }
}

void pgasi_team_arrive(pgasi_lane_t *lane, const pgasi_call_t *call)
{
    pgasi_team_part_t *part = lane->part;
    pgasi_team_board_t *board = lane->board;
    count_meeting(lane);
    board->call = *call;
    lane->phase_before = atomic_load_explicit(&part->phase.value, memory_order_relaxed);
    uint64_t signature = (uint64_t)call->signature << 32;
    atomic_store_explicit(&board->arrived, signature | (lane->phase_before + 1),
                          memory_order_release);
    const pgasi_attendant_t mine = {lane->team->place, part->locals, call->signature};
    uint32_t signatures;
    if (pgasi_attend(&part->attendance, &part->few, &mine, &signatures))
        complete_node(lane, signatures);
}

void pgasi_team_depart(const pgasi_lane_t *lane)
{
    if (lane->part->nodes > 1)
        pgasi_team_between_check(lane);
    pgasi_sync_epoch++;
}

void pgasi_team_meet(pgasi_lane_t *lane, const pgasi_call_t *call)
{
    pgasi_team_arrive(lane, call);
    pgasi_team_meet_end(lane);
}

void pgasi_team_barrier_end(pgasi_lane_t *lane)
{
    pgasi_team_watch(lane);
    pgasi_event_wait_serving(&lane->part->phase, lane->phase_before, pgasi_team_describe);
    pgasi_team_depart(lane);
}

void pgasi_team_meet_end(pgasi_lane_t *lane)
{
    pgasi_team_watch(lane);
    pgasi_event_wait(&lane->part->phase, lane->phase_before, pgasi_team_describe);
    pgasi_team_depart(lane);
}
