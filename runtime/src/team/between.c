#include "team/between.h"

#include <stdatomic.h>
#include <string.h>

#include <pgas/detail.h>

#include "net/net.h"
#include "node/node.h"
#include "sync/collective.h"
#include "team/part.h"
#include "team/watch.h"

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
    if (reply != NULL)
        return pgasi_team_reply(&message.place, reply);
    pgasi_team_part_t *part = pgasi_team_find_part(&message.place);
    if (part != NULL && nbytes == sizeof message)
        receive(part, &message.signal);
    return 0;
}

void pgasi_team_serve(void)
{
    pgasi_net_serve(PGASI_SERVICE_TEAM, serve);
}

void pgasi_team_between_start(const pgasi_lane_t *lane)
{
    pgasi_team_part_t *part = lane->part;
    pgasi_gathered_t gathered = {.call = lane->board->call};
    outcome_t outcome;
    outcome.carry = lane->carry;
    pgasi_guard_lock(&part->guard);
    part->carry = lane->carry;
    pgasi_dissemination_start(&part->state, part->mine, part->nodes, &gathered, &outcome.step);
    outcome.phase = part->state.phase;
    pgasi_guard_unlock(&part->guard);
    perform(part, &outcome);
}

/* Two nodes are in different calls; all know the same two. What the phase has gathered is valid
 * until all members of the node have arrived at the next one. */
void pgasi_team_between_check(const pgasi_lane_t *lane)
{
    pgasi_team_part_t *part = lane->part;
    pgasi_guard_lock(&part->guard);
    pgasi_call_t call = part->state.gathered.call;
    pgasi_call_t other = part->state.gathered.other_call;
    pgasi_guard_unlock(&part->guard);
    if (other.thread == 0)
        return;
    pgasi_collective_leave_to(call.thread - 1);
    pgasi_team_differ(lane->team, &call, &other);
}
