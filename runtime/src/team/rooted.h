/**
 * Meetings for one member's sake, in which nobody waits who needs nothing from others.
 */
#ifndef PGASI_TEAM_ROOTED_H
#define PGASI_TEAM_ROOTED_H

#include <stdbool.h>
#include <stdint.h>

#include "team/types.h"

/** Which way the bytes go in a meeting for one member's sake. */
typedef enum pgasi_rooted {
    PGASI_ROOTED_FROM,
    PGASI_ROOTED_TO
} pgasi_rooted_t;

/**
 * Meets (team/meet.h) where only what the member of rank `root` shows is read, or only that member
 * reads: who need not wait for others goes on. From a root, it and the members of its node wait for
 * nobody but the root; to a root, all others for nobody. All members call it, and nothing is shown
 * on the lane again before all have come: who has gone on waits for that in its next call there, or
 * in pgasi_team_settle. In teams of more than two nodes all wait for what comes from a root, and
 * the lowest member of each node in any case, since it passes on what others need.
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

#endif
