/**
 * The barrier of a team, and the frame of every collective call on one.
 *
 * As the barrier of all threads (sync/barrier.c): the last member of a node to arrive starts a
 * dissemination among the team's nodes, and whoever receives the last signal starts the next phase.
 * The state is in the team's part on each node, which signals name by its offset, so that the
 * receiver needs no table of teams.
 */
#ifndef PGASI_TEAM_MEET_H
#define PGASI_TEAM_MEET_H

#include <stdbool.h>
#include <stdint.h>

#include "team/types.h"

/**
 * Begins a collective call on a team: `call` has the call and its arguments, at most
 * PGASI_CALL_ARGUMENTS, which must be the same on all members; the rest is filled in. Returns the
 * lane on which it runs. Ends the job, in the name of `name`, if the caller is no member, is
 * between notify and wait, or may not communicate.
 */
pgasi_lane_t *pgasi_team_begin(const char *name, pgas_team_t *team, pgasi_call_t *call);

/** The same for a call that runs to its end now: waits until those that were started before on its
 *  lane are complete. */
pgasi_lane_t *pgasi_team_begin_now(const char *name, pgas_team_t *team, pgasi_call_t *call);

/** Ends the call, or what starts it. */
void pgasi_team_end(void);

/** Waits until all members have come here in `call`: what any of them did before is seen by all
 *  afterwards. Members in different calls end the job. */
void pgasi_team_meet(pgasi_lane_t *lane, const pgasi_call_t *call);

/** The same in two steps: announces that the caller has come, and waits for the others. */
void pgasi_team_arrive(pgasi_lane_t *lane, const pgasi_call_t *call);
void pgasi_team_meet_end(pgasi_lane_t *lane);

/** Which way the bytes go in a meeting for one member's sake. */
typedef enum pgasi_rooted {
    PGASI_ROOTED_FROM,
    PGASI_ROOTED_TO
} pgasi_rooted_t;

/**
 * The same where only what the member of rank `root` shows is read, or only that member reads: who
 * need not wait for others goes on. From a root, it and the members of its node wait for nobody
 * but the root; to a root, all others for nobody. All members call it, and nothing is shown on the
 * lane again before all have come: who has gone on waits for that in its next call there, or in
 * pgasi_team_settle. In teams of more than two nodes all wait, since each node passes on what
 * others need.
 */
void pgasi_team_meet_root(pgasi_lane_t *lane, const pgasi_call_t *call, uint32_t root,
                          pgasi_rooted_t direction);

/** The same in steps, for callers that do not wait: announces that the caller has come; whether it
 *  can go on; and what must be called when it does. It meets nobody on the lane before
 *  pgasi_team_try_settle has returned true. */
void pgasi_team_arrive_root(pgasi_lane_t *lane, const pgasi_call_t *call, uint32_t root,
                            pgasi_rooted_t direction);
bool pgasi_team_can_leave(const pgasi_lane_t *lane, uint32_t root, pgasi_rooted_t direction);
void pgasi_team_leave(pgasi_lane_t *lane, uint32_t root, pgasi_rooted_t direction);

/** Waits for the meeting on the lane that the caller has left early, if there is one; on all lanes
 *  of a team; and the same for callers that do not wait: whether there is none any more. */
void pgasi_team_settle(pgasi_lane_t *lane);
void pgasi_team_settle_lanes(pgas_team_t *team);
bool pgasi_team_try_settle(pgasi_lane_t *lane);

/** The second step for callers that do not wait: whether all have come, by one load of shared
 *  memory; and what must be called when they have. */
void pgasi_team_depart(const pgasi_lane_t *lane);

static inline bool pgasi_team_has_met(const pgasi_lane_t *lane)
{
    return pgasi_event_has_changed(&lane->part->phase, lane->phase_before);
}

/** A collective in flight begins and ends, in the turn (base/turn.h). One agent at a time has such,
 * and while it does, no other one makes a collective call. */
void pgasi_team_flight_begin(pgas_team_t *team);
void pgasi_team_flight_end(pgas_team_t *team);

/** How many there are: of any agent, and of the calling one. */
size_t pgasi_team_flights(void);
size_t pgasi_team_flights_mine(void);

/** Ends the job if another agent has collectives in flight. */
void pgasi_team_require_agent(const char *name);

/** Ends the job unless the caller is a member; for calls that are not collective. */
void pgasi_team_require(const char *call, const pgas_team_t *team);

/** Serves the barriers of teams to other nodes. Between pgasi_net_init and pgasi_net_start. */
void pgasi_team_serve(void);

#endif
