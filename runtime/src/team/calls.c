#include "team/calls.h"

#include <stdatomic.h>

#include <pgas/detail.h>

#include "base/agent.h"
#include "base/in_job.h"
#include "node/activity.h"
#include "sync/collective.h"
#include "sync/wait.h"
#include "team/rooted.h"
#include "team/watch.h"

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

/* On how many teams an agent is between notify and wait, and which. */
static _Atomic unsigned between;
static _Atomic uint32_t between_agent;

void pgasi_team_notified(int by)
{
    unsigned count = atomic_load_explicit(&between, memory_order_relaxed);
    atomic_store_explicit(&between_agent, pgasi_agent, memory_order_relaxed);
    atomic_store_explicit(&between, count + (unsigned)by, memory_order_release);
}

void pgasi_team_require_waited(const char *call)
{
    unsigned count = atomic_load_explicit(&between, memory_order_acquire);
    if (count > 0 && atomic_load_explicit(&between_agent, memory_order_relaxed) == pgasi_agent)
        pgasi_fatal(call, "called between pgas_team_notify and pgas_team_wait on %u team%s", count,
                    count == 1 ? "" : "s");
}

static bool is_another(_Atomic uint32_t *agent)
{
    return atomic_load_explicit(agent, memory_order_relaxed) != pgasi_agent;
}

void pgasi_team_require_agent(const char *name)
{
    bool has_flights = atomic_load_explicit(&flights, memory_order_acquire) > 0;
    bool has_notified = atomic_load_explicit(&between, memory_order_acquire) > 0;
    if ((has_flights && is_another(&flights_agent)) || (has_notified && is_another(&between_agent)))
        pgasi_fatal(name, "called while another operating-system thread of this process has "
                          "collectives in flight");
}

/* The line in which two members count themselves, and which has what they show each other, comes
 * from the other one's cache while the call is prepared. More members poll it meanwhile. */
static pgasi_lane_t *next_lane(pgas_team_t *team)
{
    pgasi_lane_t *lane = &team->lanes[team->calls++ % PGASI_LANES];
    if (team->size == 2)
        __builtin_prefetch((const void *)&lane->part->few, 1);
    return lane;
}

pgasi_lane_t *pgasi_team_begin(const char *name, pgas_team_t *team, pgasi_call_t *call)
{
    pgasi_require_job(name);
    pgasi_alone_begin(name);
    pgasi_team_require(name, team);
    pgasi_team_require_agent(name);
    if (team->notified != NULL)
        pgasi_fatal(name, "called between pgas_team_notify and pgas_team_wait on the same team");
    pgasi_lane_t *lane = next_lane(team);
    call->thread = pgasi_job.thread + 1;
    call->signature = pgasi_call_sign(call);
    pgasi_activity_begin(call);
    return lane;
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
