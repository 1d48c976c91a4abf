#include "coll/flight.h"

#include <sched.h>
#include <stdatomic.h>

#include "am/progress.h"
#include "base/agent.h"
#include "base/self.h"
#include "base/turn.h"
#include "coll/flight_table.h"
#include "coll/library.h"
#include "coll/run.h"
#include "copy/in_flight.h"
#include "net/net.h"
#include "sync/background.h"
#include "sync/barrier.h"
#include "sync/wait.h"
#include "team/calls.h"
#include "team/carry.h"
#include "team/meet.h"
#include "team/rooted.h"
#include "team/seats.h"
#include "team/watch.h"

/*
 * Where there is a progress thread, it continues what is in flight while the agent that has started
 * it computes. Who has the turn (base/turn.h) does so, and nobody else reads or writes the queues
 * of the lanes, what they run, the table and the list of busy lanes, and the counts of collectives
 * in flight. Gets are those of an initiator that goes with the turn, so that one may start and
 * another complete them.
 * An agent reads two things without the turn, and acquires by them what the steps did: whether a
 * lane has anything in flight, which is said when the last step is done with the lane, and the
 * generation of a handle's entry. The progress thread does not take the turn while the agent waits
 * and steps itself, nor does it run functions of the program.
 */

enum {
    /* Nobody wakes the progress thread for what a member on its own node does. */
    SHORTEST_NAP_US = 50,
    LONGEST_NAP_US = 1000,
    /* An agent's wait for what it reads. */
    READ_WAIT_MS = 10
};

/* The lanes that have something in flight. */
static pgasi_lane_t *busy;

static _Thread_local bool is_progress_thread;

static bool is_ready(pgasi_flight_t *flight)
{
    if (flight->next_waits == PGASI_NEXT_READ)
        return pgasi_group_is_done(&flight->coll.memory->group);
    if (flight->next_waits == PGASI_NEXT_LIBRARY)
        return pgasi_library_test(&flight->coll);
    if (flight->next_waits == PGASI_NEXT_MEET_ROOT)
        return pgasi_team_can_leave(flight->coll.lane, flight->coll.root,
                                    pgasi_coll_direction(&flight->coll));
    return pgasi_team_has_met(flight->coll.lane);
}

static void take_step(pgasi_flight_t *flight)
{
    pgasi_coll_t *coll = &flight->coll;
    flight->next_waits = pgasi_coll_take(coll);
    if (flight->next_waits == PGASI_NEXT_READ)
        pgasi_group_flush(&flight->coll.memory->group);
    else if (flight->next_waits == PGASI_NEXT_MEET_ROOT)
        pgasi_team_arrive_root(coll->lane, &coll->call, coll->root, pgasi_coll_direction(coll));
    else if (flight->next_waits != PGASI_NEXT_END && flight->next_waits != PGASI_NEXT_LIBRARY)
        pgasi_team_arrive(coll->lane, &coll->call);
}

/* As far as it goes; true if that is the end. */
static bool advance(pgasi_flight_t *flight)
{
    while (flight->next_waits != PGASI_NEXT_END && is_ready(flight)) {
        if (flight->next_waits == PGASI_NEXT_READ)
            pgasi_group_wait(&flight->coll.memory->group);
        else if (flight->next_waits == PGASI_NEXT_MEET_ROOT)
            pgasi_team_leave(flight->coll.lane, flight->coll.root,
                             pgasi_coll_direction(&flight->coll));
        else if (flight->next_waits != PGASI_NEXT_LIBRARY)
            pgasi_team_depart(flight->coll.lane);
        if (flight->next_waits == PGASI_NEXT_LAST_MEETING)
            flight->next_waits = PGASI_NEXT_END;
        else
            take_step(flight);
    }
    return flight->next_waits == PGASI_NEXT_END;
}

static pgasi_flight_t *first_of(const pgasi_lane_t *lane)
{
    return atomic_load_explicit(&lane->first, memory_order_relaxed);
}

/* The agents are told last. */
static void end_first(pgasi_lane_t *lane)
{
    pgasi_flight_t *flight = first_of(lane);
    pgas_team_t *team = lane->team;
    pgasi_stage_end(lane);
    lane->is_in_flight = false;
    pgasi_flight_memory_free(flight->coll.memory);
    pgasi_flight_t *next = flight->next;
    if (next == NULL)
        lane->last = NULL;
    pgasi_flight_free(flight);
    atomic_store_explicit(&lane->first, next, memory_order_release);
    pgasi_team_flight_end(team);
    pgasi_flight_complete(flight);
}

static void begin(pgasi_flight_t *flight)
{
    pgasi_coll_t *coll = &flight->coll;
    pgasi_lane_t *lane = coll->lane;
    coll->memory = pgasi_flight_memory(coll->name);
    lane->is_in_flight = pgasi_turn_is_shared;
    lane->call = coll->call.call;
    lane->counted = pgasi_count_flight(coll->call.call, (unsigned)coll->algorithm,
                                       pgasi_coll_algorithm_name(coll->algorithm));
    flight->is_begun = true;
    take_step(flight);
}

static bool may_step(const pgasi_flight_t *flight)
{
    return !(is_progress_thread && flight->coll.runs_program);
}

/* Whether it can go on. The first one on a lane begins when a meeting that was left early is over.
 */
static bool can_continue(pgasi_flight_t *flight)
{
    return flight->is_begun ? is_ready(flight) : pgasi_team_try_settle(flight->coll.lane);
}

/* As far as it goes now; adds to `*count` what was done. True if that is the end. */
static bool continue_flight(pgasi_flight_t *flight, unsigned *count)
{
    if (!can_continue(flight))
        return false;
    if (!flight->is_begun)
        begin(flight);
    (*count)++;
    return advance(flight);
}

/* What the program or a library does in a step is the agent's, which alone runs such steps. */
static bool is_shared(const pgasi_flight_t *flight)
{
    return pgasi_turn_is_shared && !flight->coll.runs_program;
}

/* Returns 0 if there is nothing to do yet. A step never waits, not for credit either: who has the
 * turn would hold up collectives with other members. What is under way so is bounded by the lanes
 * and members of teams, which have memory of their own. */
static unsigned continue_lane(pgasi_lane_t *lane)
{
    unsigned count = 0;
    bool is_over = true;
    for (pgasi_flight_t *flight; is_over && (flight = first_of(lane)) != NULL;) {
        if (!may_step(flight))
            break;
        bool shares = is_shared(flight);
        void *own = shares ? pgasi_net_beside_begin() : NULL;
        pgasi_net_unbounded(true);
        is_over = continue_flight(flight, &count);
        pgasi_net_unbounded(false);
        if (shares)
            pgasi_net_beside_end(own);
        if (is_over)
            end_first(lane);
    }
    return count;
}

static unsigned progress_shared(void)
{
    void *own = pgasi_net_beside_begin();
    unsigned count = pgasi_net_beside_progress();
    pgasi_net_beside_end(own);
    return count;
}

static bool is_reading(const pgasi_flight_t *flight)
{
    return flight != NULL && flight->is_begun && flight->next_waits == PGASI_NEXT_READ;
}

/* Of those whose gets are the turn's, or the agent's. */
static bool is_any_read(const void *shares)
{
    for (const pgasi_lane_t *lane = busy; lane != NULL; lane = lane->next_busy) {
        const pgasi_flight_t *flight = first_of(lane);
        if (is_reading(flight) && is_shared(flight) == *(const bool *)shares &&
            pgasi_group_is_done(&flight->coll.memory->group))
            return true;
    }
    return false;
}

/* The agent that has the turn is about to sleep, and nothing would wake it for what its collectives
 * read. It waits for any of that, but not for long: one may read from a member that stands still,
 * while others meet. Returns whether there was something to wait for. */
static unsigned wait_for_reads(void)
{
    const pgasi_lane_t *lane = busy;
    while (lane != NULL && !is_reading(first_of(lane)))
        lane = lane->next_busy;
    if (lane == NULL)
        return 0;
    bool shares = is_shared(first_of(lane));
    void *own = shares ? pgasi_net_beside_begin() : NULL;
    pgasi_net_wait_within(is_any_read, &shares, READ_WAIT_MS);
    if (shares)
        pgasi_net_beside_end(own);
    return 1;
}

/* Steps of the one who has the turn. */
static unsigned run_steps(void)
{
    unsigned count = pgasi_turn_is_shared ? progress_shared() : 0;
    pgasi_lane_t *lane;
    for (pgasi_lane_t **link = &busy; (lane = *link) != NULL;) {
        count += continue_lane(lane);
        if (first_of(lane) == NULL)
            *link = lane->next_busy;
        else
            link = &lane->next_busy;
    }
    return count;
}

/* The end of steps may have been the end of some. The progress thread counts a collective as
 * complete before its handle says so (end_first): where none is left, the turn says that both have
 * been done, since nobody wakes up who waits for a handle with nothing in flight. */
static void look_again(void)
{
    pgasi_background_count = pgasi_team_flights_mine();
    if (pgasi_background_count == 0 && pgasi_turn_take())
        pgasi_turn_leave();
    if (pgasi_turn_is_shared)
        pgasi_sync_epoch++;
}

/* Of an agent. The steps of the progress thread are soon done. */
static unsigned progress(bool before_sleep)
{
    unsigned count = 0;
    if (pgasi_team_flights_mine() > 0) {
        if (pgasi_turn_try()) {
            count = run_steps();
            if (before_sleep && count == 0)
                count = wait_for_reads();
            pgasi_turn_leave();
        } else {
            sched_yield();
            count = 1;
        }
    }
    look_again();
    if (pgasi_background_count > 0)
        pgasi_net_beside_rouse();
    return count;
}

/* ---- In the progress thread ---- */

static bool is_any(void)
{
    return pgasi_team_flights() > 0 && !pgasi_background_is_attended();
}

/* It counts in a table of its own, and counts as no agent but for that. */
static unsigned run_beside(bool *may_sleep)
{
    static pgasi_peer_t *peers;
    if (peers == NULL)
        peers = pgasi_agents_beside();
    is_progress_thread = true;
    pgasi_peers = peers;
    unsigned count = run_steps();
    *may_sleep = pgasi_net_beside_arm();
    pgasi_peers = PGASI_NO_PEERS;
    return count;
}

static unsigned progress_beside(unsigned *longest)
{
    static unsigned nap;
    bool may_sleep = true;
    unsigned count = 0;
    if (pgasi_team_flights() == 0)
        return 0;
    *longest = LONGEST_NAP_US;
    if (pgasi_background_is_attended() || !pgasi_turn_try())
        return 0;
    if (pgasi_team_flights() > 0)
        count = run_beside(&may_sleep);
    pgasi_turn_leave();
    nap = count > 0 || nap == 0 ? SHORTEST_NAP_US : nap < LONGEST_NAP_US ? 2 * nap : nap;
    *longest = nap < LONGEST_NAP_US ? nap : LONGEST_NAP_US;
    return count + (may_sleep ? 0 : 1);
}

static void finish_beside(void)
{
    pgasi_group_detach();
}

/* ---- Behind handles ---- */

static bool is_done(uint64_t bits)
{
    return pgasi_flight_of(bits) == NULL;
}

static bool is_complete(const void *argument)
{
    const uint64_t *bits = argument;
    return is_done(*bits);
}

static void wait_for(uint64_t bits)
{
    const pgasi_flight_t *flight = pgasi_flight_of(bits);
    if (flight != NULL) {
        pgasi_team_watch(flight->coll.lane);
        pgasi_wait(&flight->coll.lane->part->phase, is_complete, &bits, 0, pgasi_team_describe);
    }
    look_again();
}

static bool test(uint64_t bits)
{
    if (!is_done(bits)) {
        pgasi_am_progress();
        pgasi_background_progress(false);
    }
    bool done = is_done(bits);
    if (done)
        look_again();
    return done;
}

static void install(void)
{
    static const pgasi_in_flight_client_t client = {wait_for, test, is_done};
    static const pgasi_net_beside_t beside = {progress_beside, is_any, finish_beside};
    pgasi_in_flight_install(&client);
    pgasi_background_install(progress);
    if (pgasi_turn_is_shared) {
        pgasi_agents_beside();
        pgasi_net_beside_install(&beside);
    }
}

static void append(pgasi_lane_t *lane, pgasi_flight_t *flight)
{
    pgasi_team_flight_begin(lane->team);
    if (first_of(lane) == NULL) {
        atomic_store_explicit(&lane->first, flight, memory_order_relaxed);
        lane->next_busy = busy;
        busy = lane;
    } else {
        lane->last->next = flight;
    }
    lane->last = flight;
}

/* Whether the progress thread does not hear of the event that comes next: it does of messages,
 * which is what a member waits for that is alone on its node. */
static bool is_unheard(const pgasi_flight_t *flight)
{
    bool meets = !flight->is_begun || flight->next_waits == PGASI_NEXT_MEET ||
                 flight->next_waits == PGASI_NEXT_MEET_ROOT ||
                 flight->next_waits == PGASI_NEXT_LAST_MEETING;
    bool hears = meets && flight->coll.lane->part->locals == 1;
    return is_shared(flight) && !hears;
}

pgas_handle_t pgasi_coll_start(const pgasi_coll_t *coll)
{
    pgasi_lane_t *lane = coll->lane;
    bool must_leave = pgasi_turn_take();
    if (pgasi_flight_is_unused())
        install();
    pgasi_flight_t *flight = pgasi_flight_alloc(coll);
    pgasi_coll_prepare(&flight->coll);
    if (lane->part->nodes > 1 || pgasi_carry_has_trays(lane->team, 1))
        pgasi_seats_make(lane->team);
    uint64_t bits = pgasi_flight_bits(flight);
    append(lane, flight);
    if (first_of(lane) == flight) {
        bool was_held = pgasi_background_hold(); /* a library's test may poll */
        continue_lane(lane);
        pgasi_background_release(was_held);
    }
    if (first_of(lane) == NULL)
        busy = lane->next_busy;
    bool must_alert = first_of(lane) == flight && is_unheard(flight);
    if (must_leave)
        pgasi_turn_leave();
    look_again();
    pgasi_team_end();
    bool done = is_done(bits);
    if (must_alert)
        pgasi_net_beside_alert();
    return (pgas_handle_t){done ? 0 : bits};
}

void pgasi_coll_wait(pgas_handle_t handle)
{
    wait_for(handle.bits);
}

static bool is_all_complete(const void *argument)
{
    (void)argument;
    return pgasi_team_flights_mine() == 0;
}

void pgasi_coll_wait_all(void)
{
    bool must_leave = pgasi_turn_take();
    const pgasi_lane_t *lane = pgasi_team_flights_mine() > 0 ? busy : NULL;
    if (must_leave)
        pgasi_turn_leave();
    if (lane != NULL) {
        pgasi_team_watch(lane);
        pgasi_wait(&lane->part->phase, is_all_complete, NULL, 0, pgasi_team_describe);
    }
    pgasi_background_count = 0;
}
