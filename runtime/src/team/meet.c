#include "team/meet.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "base/agent.h"
#include "base/in_job.h"
#include "base/turn.h"
#include "net/net.h"
#include "node/activity.h"
#include "node/node.h"
#include "sync/barrier.h"
#include "sync/collective.h"
#include "sync/wait.h"
#include "team/part.h"
#include "team/watch.h"

enum {
    OTHER_ENDS_SECONDS = 1 /* how long another thread may take to end the job */
};

/* A signal of a team's barrier, on its way to the node whose part lies at `place`. */
typedef struct message {
    pgasi_team_query_t place;
    pgasi_signal_t signal;
} message_t;

_Static_assert(sizeof(message_t) <= PGASI_NET_MESSAGE_MAX, "a signal is a message");
_Static_assert(sizeof(message_t) <= PGASI_NET_PUT_MESSAGE_MAX, "and can come with a put");
_Static_assert(PGASI_ARENA_MOST <= PGASI_NET_MESSAGE_PUT_MAX, "which is one");

/* What a step of a phase leaves to be done; not under the guard, as in sync/barrier.c. */
typedef struct outcome {
    pgasi_step_t step;
    uint64_t phase;
    pgasi_carry_t carry;
} outcome_t;

/* Blocks for nodes beyond the next one, which have come in earlier rounds, go where this one sends
 * them from. */
static void pass_on(const pgasi_team_part_t *part, const outcome_t *outcome,
                    const pgasi_carried_t *carried, uint32_t round)
{
    char *arena = pgasi_part_arena(part, outcome->phase);
    const size_t block = outcome->carry.block;
    for (uint32_t i = 0; i < carried->count; i++) {
        uint32_t origin = pgasi_arena_origin(part->nodes, round, i);
        if (origin != carried->first + i)
            pgasi_copy(arena + (carried->first + i) * block, arena + origin * block, block);
    }
}

/* What members show goes with the signal, from arena to arena. */
static void send_signal(const pgasi_team_part_t *part, const outcome_t *outcome,
                        const pgasi_signal_t *signal)
{
    const pgasi_carry_t *carry = &outcome->carry;
    pgasi_team_place_t to = pgasi_part_node(part, signal->node);
    message_t message = {.place = {.offset = to.offset, .id = part->id}, .signal = *signal};
    pgasi_carried_t carried = pgasi_arena_carried(carry, part->nodes, part->mine, signal->round);
    if (carried.count == 0) {
        pgasi_net_send(to.thread, PGASI_SERVICE_TEAM, &message, sizeof message);
        return;
    }
    if (carry->pattern == PGASI_CARRY_EACH)
        pass_on(part, outcome, &carried, signal->round);
    uint64_t arena = pgasi_part_arena_offset(part, to.offset, outcome->phase);
    pgasi_net_send_put(
        (pgas_ptr_t){.thread = to.thread, .offset = arena + (uint64_t)carried.to * carry->block},
        pgasi_part_arena(part, outcome->phase) + (size_t)carried.first * carry->block,
        (size_t)carried.count * carry->block, PGASI_SERVICE_TEAM, &message, sizeof message);
}

/* Sends the signals of a step, or completes the phase. */
static void perform(pgasi_team_part_t *part, const outcome_t *outcome)
{
    for (uint32_t i = 0; i < outcome->step.count; i++)
        send_signal(part, outcome, &outcome->step.signals[i]);
    if (outcome->step.is_complete)
        pgasi_event_set(&part->phase, (uint32_t)outcome->phase);
}

static void receive(pgasi_team_part_t *part, const pgasi_signal_t *signal)
{
    outcome_t outcome;
    if (signal->round >= pgasi_dissemination_rounds(part->nodes))
        return;
    pgasi_guard_lock(&part->guard);
    pgasi_dissemination_receive(&part->state, part->mine, part->nodes, signal, &outcome.step);
    outcome.phase = part->state.phase;
    outcome.carry = part->carry;
    pgasi_guard_unlock(&part->guard);
    perform(part, &outcome);
}

/* Runs in the lowest member of a node; also replies to the watchdogs of other nodes. */
static size_t serve(uint32_t source, const void *request, size_t nbytes, void *reply)
{
    (void)source;
    message_t message = {0};
    if (nbytes < sizeof message.place || nbytes > sizeof message)
        return 0;
    memcpy(&message, request, nbytes);
    pgasi_team_part_t *part = pgasi_team_find_part(&message.place);
    if (part == NULL)
        return 0;
    if (reply != NULL)
        return pgasi_team_reply(part, reply);
    if (nbytes == sizeof message)
        receive(part, &message.signal);
    return 0;
}

void pgasi_team_serve(void)
{
    pgasi_net_serve(PGASI_SERVICE_TEAM, serve);
}

/* All members of the node have arrived. */
static void start_between(const pgasi_lane_t *lane)
{
    pgasi_team_part_t *part = lane->part;
    pgasi_gathered_t gathered = {.call = lane->board->call};
    outcome_t outcome = {.carry = lane->carry};
    pgasi_guard_lock(&part->guard);
    part->carry = lane->carry;
    pgasi_dissemination_start(&part->state, part->mine, part->nodes, &gathered, &outcome.step);
    outcome.phase = part->state.phase;
    pgasi_guard_unlock(&part->guard);
    perform(part, &outcome);
}

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

static void complete_node(const pgasi_lane_t *lane, uint64_t arrived)
{
    pgasi_team_part_t *part = lane->part;
    if ((uint32_t)(arrived >> 32) != lane->board->call.signature * part->locals)
        check_calls(lane);
    atomic_store_explicit(&part->arrived, 0, memory_order_relaxed);
    if (part->nodes > 1)
        start_between(lane);
    else
        pgasi_event_set(&part->phase, lane->phase_before + 1);
}

/* The lowest member of a node stands for it. */
static void count_meeting(const pgasi_lane_t *lane)
{
    const pgasi_team_part_t *part = lane->part;
    const pgasi_carry_t *carry = &lane->carry;
    pgas_traffic_t *remote = &lane->counted->traffic[PGAS_REMOTE];
    pgasi_counter_add(&lane->counted->meetings, 1);
    if (part->nodes == 1 || pgasi_part_local(part, 0).thread != pgasi_job.thread)
        return;
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
    uint64_t step = signature | 1;
    uint64_t arrived = atomic_fetch_add(&part->arrived, step) + step;
    if ((uint32_t)arrived == part->locals)
        complete_node(lane, arrived);
}

/* Two nodes are in different calls. All know the same two: the node of the first ends the job, the
 * others only if it does not. What the phase has gathered is valid until all members of the node
 * have arrived at the next one. */
static void check_nodes(const pgasi_lane_t *lane)
{
    pgasi_team_part_t *part = lane->part;
    pgasi_guard_lock(&part->guard);
    pgasi_call_t call = part->state.gathered.call;
    pgasi_call_t other = part->state.gathered.other_call;
    pgasi_guard_unlock(&part->guard);
    if (other.thread == 0)
        return;
    if (pgasi_job.peers[call.thread - 1].node != pgasi_nodes.mine)
        sleep(OTHER_ENDS_SECONDS);
    pgasi_team_differ(lane->team, &call, &other);
}

void pgasi_team_depart(const pgasi_lane_t *lane)
{
    if (lane->part->nodes > 1)
        check_nodes(lane);
    pgasi_sync_epoch++;
}

void pgasi_team_meet(pgasi_lane_t *lane, const pgasi_call_t *call)
{
    pgasi_team_arrive(lane, call);
    pgasi_team_meet_end(lane);
}

void pgasi_team_meet_end(pgasi_lane_t *lane)
{
    pgasi_team_watch(lane);
    pgasi_event_wait(&lane->part->phase, lane->phase_before, pgasi_team_describe);
    pgasi_team_depart(lane);
}

/* ---- Meetings for one member's sake ---- */

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

/* Whether the caller need not wait for all. Between nodes a progress thread sees to it that what it
 * has sent leaves. Messages for a node come to its lowest member, who so waits for what a root
 * waits for. */
static bool may_leave_early(const pgasi_lane_t *lane, uint32_t root, pgasi_rooted_t direction)
{
    const pgasi_team_part_t *part = lane->part;
    bool is_root = root == lane->team->rank;
    bool is_of_node = pgasi_job.peers[pgasi_team_member(lane->team, root)].node == pgasi_nodes.mine;
    bool is_lowest = pgasi_part_local(part, 0).thread == pgasi_job.thread;
    if (part->nodes > 2 || (part->nodes == 2 && !pgasi_turn_is_shared))
        return false;
    if (direction == PGASI_ROOTED_FROM)
        return is_of_node;
    return !is_root && !(part->nodes > 1 && is_of_node && is_lowest);
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
    if (direction == PGASI_ROOTED_FROM && root == lane->team->rank && lane->part->locals > 1)
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

/* ---- Calls ---- */

void pgasi_team_require(const char *call, const pgas_team_t *team)
{
    if (!pgasi_is_in_job)
        pgasi_outside_job(call);
    if (team == NULL)
        pgasi_fatal(call, "there is no team: the pointer is NULL");
    if (team->kind == PGASI_KIND_FREED)
        pgasi_fatal(call, "the team has been freed");
    if (!pgas_team_has_me(team))
        pgasi_fatal(call, "this thread is no member of the team");
}

/* How many collectives are in flight, and of which agent. Written in the turn. */
static _Atomic size_t flights;
static _Atomic uint32_t flights_agent;

/* Sequentially consistent, before the progress thread is told. */
void pgasi_team_flight_begin(pgas_team_t *team)
{
    atomic_store_explicit(&flights_agent, pgasi_agent, memory_order_relaxed);
    atomic_store(&flights, atomic_load_explicit(&flights, memory_order_relaxed) + 1);
    team->in_flight++;
}

/* What the collective has done comes before. */
void pgasi_team_flight_end(pgas_team_t *team)
{
    team->in_flight--;
    atomic_store_explicit(&flights, atomic_load_explicit(&flights, memory_order_relaxed) - 1,
                          memory_order_release);
}

size_t pgasi_team_flights(void)
{
    return atomic_load(&flights);
}

size_t pgasi_team_flights_mine(void)
{
    bool is_mine = atomic_load_explicit(&flights_agent, memory_order_relaxed) == pgasi_agent;
    return is_mine ? atomic_load_explicit(&flights, memory_order_acquire) : 0;
}

void pgasi_team_require_agent(const char *name)
{
    if (atomic_load_explicit(&flights, memory_order_acquire) > 0 &&
        atomic_load_explicit(&flights_agent, memory_order_relaxed) != pgasi_agent)
        pgasi_fatal(name, "called while another operating-system thread of this process has "
                          "collectives in flight");
}

pgasi_lane_t *pgasi_team_begin(const char *name, pgas_team_t *team, pgasi_call_t *call)
{
    pgasi_require_job(name);
    pgasi_alone_begin(name);
    pgasi_team_require(name, team);
    pgasi_team_require_agent(name);
    if (team->notified != NULL)
        pgasi_fatal(name, "called between pgas_team_notify and pgas_team_wait on the same team");
    call->thread = pgasi_job.thread + 1;
    call->signature = pgasi_call_sign(call);
    pgasi_activity_begin(call);
    return &team->lanes[team->calls++ % PGASI_LANES];
}

/* Completing them is what a wait does meanwhile (sync/background.h). */
static bool is_free(const void *argument)
{
    const pgasi_lane_t *lane = argument;
    return !pgasi_lane_has_flight(lane);
}

pgasi_lane_t *pgasi_team_begin_now(const char *name, pgas_team_t *team, pgasi_call_t *call)
{
    pgasi_lane_t *lane = pgasi_team_begin(name, team, call);
    if (pgasi_lane_has_flight(lane)) {
        pgasi_team_watch(lane);
        pgasi_wait(&lane->part->phase, is_free, lane, 0, pgasi_team_describe);
    }
    pgasi_team_settle(lane);
    return lane;
}

void pgasi_team_end(void)
{
    pgasi_activity_end();
    pgasi_alone_end();
}
