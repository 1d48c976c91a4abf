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

#include <stddef.h>
#include <stdint.h>

#include "team/types.h"

/** Begins a collective call on a team. The arguments, at most PGASI_CALL_ARGUMENTS, must be the
 * same on all members. Ends the job if the caller is no member, is between notify and wait, or may
 * not communicate. */
void pgasi_team_begin(pgas_team_t *team, pgasi_collective_t call, size_t count,
                      const uint64_t *arguments);

/** The same with 1 to PGASI_CALL_ARGUMENTS arguments, listed one by one. */
#define PGASI_TEAM_CALL(team, call, ...) \
    pgasi_team_begin(team, call, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), \
                     (const uint64_t[]){__VA_ARGS__})

/** Ends the call. */
void pgasi_team_end(void);

/** Waits until all members have come here in the call that has begun: what any of them did before
 * is seen by all afterwards. Members in different calls end the job. */
void pgasi_team_meet(pgas_team_t *team);

/** Ends the job unless the caller is a member; for calls that are not collective. */
void pgasi_team_require(const char *call, const pgas_team_t *team);

/** Ends the job if the caller is between notify and wait on any team. */
void pgasi_team_require_waited(const char *call);

/** Serves the barriers of teams to other nodes. Between pgasi_net_init and pgasi_net_start. */
void pgasi_team_serve(void);

#endif
