/**
 * The frame of every collective call on a team.
 */
#ifndef PGASI_TEAM_CALLS_H
#define PGASI_TEAM_CALLS_H

#include <stddef.h>
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

/** A collective in flight begins and ends, in the turn (base/turn.h). One agent at a time has such,
 * and while it does, no other one makes a collective call. */
void pgasi_team_flight_begin(pgas_team_t *team);
void pgasi_team_flight_end(pgas_team_t *team);

/** How many there are: of any agent, and of the calling one. */
size_t pgasi_team_flights(void);
size_t pgasi_team_flights_mine(void);

/** The calling agent is between notify and wait on one team more (1), or less (-1). */
void pgasi_team_notified(int by);

/** Ends the job if the calling agent is between notify and wait on any team. */
void pgasi_team_require_waited(const char *call);

/** Ends the job if another agent has collectives in flight, or is between notify and wait. */
void pgasi_team_require_agent(const char *name);

/** Ends the job unless the caller is a member; for calls that are not collective. */
void pgasi_team_require(const char *call, const pgas_team_t *team);

#endif
