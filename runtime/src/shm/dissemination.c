#include "shm/dissemination.h"

/*
 * Two slots per round are enough. The slot for round r of phase p is written by one node alone, j =
 * i - 2^r, and again by j in phase p + 2. Node j starts phase p + 2 only when phase p + 1 is
 * complete there, hence when every node has started phase p + 1, node i among them; and node i
 * starts phase p + 1 only when its phase p is complete, with all slots of phase p read.
 *
 * A step's signals may be sent after the caller has made other steps: they may come in any order,
 * and until the last of phase p has come its receiver has not completed phase p, so nobody has
 * completed phase p + 1.
 */

static bool differs(uint64_t name, uint64_t other)
{
    return name != 0 && name >> 32 != other >> 32;
}

static bool is_lower(uint64_t name, uint64_t other)
{
    return other == 0 || (uint32_t)name < (uint32_t)other;
}

/* The result does not depend on the order in which names are added. */
static void add_name(pgasi_gathered_t *into, uint64_t name)
{
    if (name == 0)
        return;
    if (is_lower(name, into->named)) {
        uint64_t before = into->named;
        into->named = name;
        if (differs(before, name)) /* the lowest of all until now */
            into->other = before;
    } else if (differs(name, into->named) && is_lower(name, into->other)) {
        into->other = name;
    }
}

/* The same for calls. */
static void add_call(pgasi_gathered_t *into, const pgasi_call_t *call)
{
    if (call->thread == 0)
        return;
    if (into->call.thread == 0 || call->thread < into->call.thread) {
        pgasi_call_t before = into->call;
        into->call = *call;
        if (before.thread != 0 && before.signature != call->signature)
            into->other_call = before;
    } else if (call->signature != into->call.signature &&
               (into->other_call.thread == 0 || call->thread < into->other_call.thread)) {
        into->other_call = *call;
    }
}

static void merge(pgasi_gathered_t *into, const pgasi_gathered_t *from)
{
    if (from->maximum > into->maximum)
        into->maximum = from->maximum;
    if (from->has_word) {
        into->word = from->word;
        into->has_word = 1;
    }
    add_name(into, from->named);
    add_name(into, from->other);
    add_call(into, &from->call);
    add_call(into, &from->other_call);
}

static bool is_last(uint32_t nodes, uint32_t round)
{
    return UINT64_C(1) << round >= nodes;
}

uint32_t pgasi_dissemination_source(uint32_t node, uint32_t nodes, uint32_t round)
{
    uint64_t distance = (UINT64_C(1) << round) % nodes;
    return (uint32_t)((node + nodes - distance) % nodes);
}

static void signal_round(const pgasi_dissemination_t *state, uint32_t node, uint32_t nodes,
                         pgasi_step_t *step)
{
    step->signals[step->count++] = (pgasi_signal_t){
        .phase = state->phase,
        .round = state->round,
        .node = (uint32_t)((node + (UINT64_C(1) << state->round)) % nodes),
        .gathered = state->gathered,
    };
}

/* Enters as many rounds as the signals that have come allow; this round's own signal is sent. */
static void advance(pgasi_dissemination_t *state, uint32_t node, uint32_t nodes, pgasi_step_t *step)
{
    while (!is_last(nodes, state->round)) {
        const pgasi_signal_t *slot = &state->slots[state->round][state->phase % 2];
        if (slot->phase != state->phase)
            return;
        merge(&state->gathered, &slot->gathered);
        state->round++;
        if (!is_last(nodes, state->round))
            signal_round(state, node, nodes, step);
    }
    state->is_running = false;
    step->is_complete = true;
}

void pgasi_dissemination_start(pgasi_dissemination_t *state, uint32_t node, uint32_t nodes,
                               const pgasi_gathered_t *gathered, pgasi_step_t *step)
{
    step->count = 0;
    step->is_complete = false;
    state->phase++;
    state->round = 0;
    state->is_running = true;
    state->gathered = *gathered;
    if (!is_last(nodes, 0))
        signal_round(state, node, nodes, step);
    advance(state, node, nodes, step);
}

void pgasi_dissemination_receive(pgasi_dissemination_t *state, uint32_t node, uint32_t nodes,
                                 const pgasi_signal_t *signal, pgasi_step_t *step)
{
    step->count = 0;
    step->is_complete = false;
    state->slots[signal->round % PGASI_ROUNDS][signal->phase % 2] = *signal;
    if (state->is_running)
        advance(state, node, nodes, step);
}
