/**
 * The barrier of a team.
 *
 * As the barrier of all threads (sync/barrier.c): the last member of a node to arrive starts a
 * dissemination among the team's nodes (team/between.h), and whoever receives the last signal
 * starts the next phase.
 */
#ifndef PGASI_TEAM_MEET_H
#define PGASI_TEAM_MEET_H

#include <stdbool.h>

#include "team/types.h"

/** Waits until all members have come here in `call`: what any of them did before is seen by all
 *  afterwards. Members in different calls end the job. */
void pgasi_team_meet(pgasi_lane_t *lane, const pgasi_call_t *call);

/** The same in two steps: announces that the caller has come, and waits for the others. */
void pgasi_team_arrive(pgasi_lane_t *lane, const pgasi_call_t *call);
void pgasi_team_meet_end(pgasi_lane_t *lane);

/** The second step of a barrier of the program's, which includes a fence. */
void pgasi_team_barrier_end(pgasi_lane_t *lane);

/** The second step for callers that do not wait: whether all have come, by one load of shared
 *  memory; and what must be called when they have. */
void pgasi_team_depart(const pgasi_lane_t *lane);

static inline bool pgasi_team_has_met(const pgasi_lane_t *lane)
{
    return pgasi_event_has_changed(&lane->part->phase, lane->phase_before);
}

#endif
