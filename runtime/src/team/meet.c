#include "team/meet.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/in_job.h"
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

/* Sends the signals of a step, or completes the phase; not under the guard, as in sync/barrier.c.
 */
static void perform_step(pgasi_team_part_t *part, const pgasi_step_t *step, uint64_t phase)
{
    for (uint32_t i = 0; i < step->count; i++) {
        pgasi_team_place_t to = pgasi_part_node(part, step->signals[i].node);
        message_t message = {.place = {.offset = to.offset, .id = part->id},
                             .signal = step->signals[i]};
        pgasi_net_send(to.thread, PGASI_SERVICE_TEAM, &message, sizeof message);
    }
    if (step->is_complete)
        pgasi_event_set(&part->phase, (uint32_t)phase);
}

static void receive(pgasi_team_part_t *part, const pgasi_signal_t *signal)
{
    pgasi_step_t step;
    if (signal->round >= pgasi_dissemination_rounds(part->nodes))
        return;
    pgasi_guard_lock(&part->guard);
    pgasi_dissemination_receive(&part->state, part->mine, part->nodes, signal, &step);
    uint64_t phase = part->state.phase;
    pgasi_guard_unlock(&part->guard);
    perform_step(part, &step, phase);
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
static void start_between(const pgas_team_t *team)
{
    pgasi_team_part_t *part = team->part;
    pgasi_gathered_t gathered = {.call = team->board->call};
    pgasi_step_t step;
    pgasi_guard_lock(&part->guard);
    pgasi_dissemination_start(&part->state, part->mine, part->nodes, &gathered, &step);
    uint64_t phase = part->state.phase;
    pgasi_guard_unlock(&part->guard);
    perform_step(part, &step, phase);
}

/* The signatures of the node's members differ. */
static void check_calls(const pgas_team_t *team)
{
    for (uint32_t i = 0; i < team->part->locals; i++) {
        pgasi_team_place_t at = pgasi_part_local(team->part, i);
        const pgasi_team_board_t *other =
            (const void *)(pgasi_job.peers[at.thread].base + at.offset);
        if (other->call.signature != team->board->call.signature)
            pgasi_team_differ(team, &team->board->call, &other->call);
    }
}

static void complete_node(const pgas_team_t *team, uint64_t arrived)
{
    pgasi_team_part_t *part = team->part;
    if ((uint32_t)(arrived >> 32) != team->board->call.signature * part->locals)
        check_calls(team);
    atomic_store_explicit(&part->arrived, 0, memory_order_relaxed);
    if (part->nodes > 1)
        start_between(team);
    else
        pgasi_event_set(&part->phase, team->phase_before + 1);
}

static void arrive(pgas_team_t *team)
{
    pgasi_team_part_t *part = team->part;
    pgasi_team_board_t *board = team->board;
    board->call = pgasi_activity_of(pgasi_job.thread)->call;
    team->phase_before = atomic_load_explicit(&part->phase.value, memory_order_relaxed);
    atomic_store_explicit(&board->arrived, team->phase_before + 1, memory_order_relaxed);
    uint64_t step = (uint64_t)board->call.signature << 32 | 1;
    uint64_t arrived = atomic_fetch_add(&part->arrived, step) + step;
    if ((uint32_t)arrived == part->locals)
        complete_node(team, arrived);
}

/* Two nodes are in different calls. All know the same two: the node of the first ends the job, the
 * others only if it does not. What the phase has gathered is valid until all members of the node
 * have arrived at the next one. */
static void check_nodes(const pgas_team_t *team)
{
    pgasi_team_part_t *part = team->part;
    pgasi_guard_lock(&part->guard);
    pgasi_call_t call = part->state.gathered.call;
    pgasi_call_t other = part->state.gathered.other_call;
    pgasi_guard_unlock(&part->guard);
    if (other.thread == 0)
        return;
    if (pgasi_job.peers[call.thread - 1].node != pgasi_nodes.mine)
        sleep(OTHER_ENDS_SECONDS);
    pgasi_team_differ(team, &call, &other);
}

static void depart(pgas_team_t *team)
{
    pgasi_team_watch(team);
    pgasi_event_wait(&team->part->phase, team->phase_before, pgasi_team_describe);
    if (team->part->nodes > 1)
        check_nodes(team);
    pgasi_sync_epoch++;
}

void pgasi_team_meet(pgas_team_t *team)
{
    arrive(team);
    depart(team);
}

void pgasi_team_require(const char *call, const pgas_team_t *team)
{
    if (!pgasi_is_in_job)
        pgasi_outside_job(call);
    if (!pgas_team_has_me(team))
        pgasi_fatal(call, team == NULL ? "there is no team: the pointer is NULL"
                                       : "this thread is no member of the team");
}

static void begin(pgas_team_t *team, pgasi_collective_t kind, size_t count,
                  const uint64_t *arguments)
{
    pgasi_call_t call = {.thread = pgasi_job.thread + 1, .call = kind, .count = (uint32_t)count};
    const char *name = pgasi_call_name(&call);
    pgasi_require_job(name);
    pgasi_alone_begin(name);
    pgasi_team_require(name, team);
    for (size_t i = 0; i < count; i++)
        call.arguments[i] = arguments[i];
    call.signature = pgasi_call_sign(&call);
    pgasi_activity_begin(&call);
}

void pgasi_team_begin(pgas_team_t *team, pgasi_collective_t call, size_t count,
                      const uint64_t *arguments)
{
    begin(team, call, count, arguments);
    if (team->notified)
        pgasi_fatal(pgasi_call_name(&(pgasi_call_t){.call = call}),
                    "called between pgas_team_notify and pgas_team_wait on the same team");
}

void pgasi_team_end(void)
{
    pgasi_activity_end();
    pgasi_alone_end();
}

void pgas_team_barrier(pgas_team_t *team)
{
    pgasi_team_begin(team, PGASI_TEAM_BARRIER, 0, NULL);
    pgasi_team_meet(team);
    pgasi_team_end();
}

/* Teams on which the caller is between notify and wait. */
static unsigned between;

void pgas_team_notify(pgas_team_t *team)
{
    begin(team, PGASI_TEAM_BARRIER, 0, NULL);
    if (team->notified)
        pgasi_fatal(__func__, "called twice without pgas_team_wait");
    arrive(team);
    team->notified = true;
    between++;
    pgasi_team_end();
}

void pgas_team_wait(pgas_team_t *team)
{
    begin(team, PGASI_TEAM_BARRIER, 0, NULL);
    if (!team->notified)
        pgasi_fatal(__func__, "called without pgas_team_notify");
    depart(team);
    team->notified = false;
    between--;
    pgasi_team_end();
}

void pgasi_team_require_waited(const char *call)
{
    if (between > 0)
        pgasi_fatal(call, "called between pgas_team_notify and pgas_team_wait on %u team%s",
                    between, between == 1 ? "" : "s");
}
