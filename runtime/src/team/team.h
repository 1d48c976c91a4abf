/**
 * Teams inside the runtime: the predefined ones, and what split ones are put together by.
 */
#ifndef PGASI_TEAM_TEAM_H
#define PGASI_TEAM_TEAM_H

#include <pgas/types.h>

#include "team/types.h"

/** Makes the predefined teams: when the segments are mapped, before the network starts. */
void pgasi_team_start(void);

/** The end of the predefined teams. */
void pgasi_team_finish(void);

/** Writes what the parts of all lanes on a node say of the team: this node's index among its nodes,
 *  and its members here. The places of a split team come later (team/part.h). */
void pgasi_team_set_parts(const pgas_team_t *team, pgasi_team_part_t *first, uint32_t mine,
                          uint32_t locals);

/** Writes the lanes of a team whose boards are there, from the node's first part. */
void pgasi_team_set_lanes(pgas_team_t *team, pgasi_team_part_t *part);

/** A split team begins and ends to be one of those of pgasi_team_settle_all. */
void pgasi_team_link(pgas_team_t *team);
void pgasi_team_unlink(pgas_team_t *team);

/** Waits for the meetings on all teams that the caller has left early (team/meet.h), so that a
 *  member that is in another call, or in none, does not go unnoticed at the end. */
void pgasi_team_settle_all(void);

/** Called, if somebody has set them, when a split team has been made, and may be used, and when all
 *  its members have met to free it. */
extern void (*pgasi_team_made)(pgas_team_t *team);
extern void (*pgasi_team_ends)(pgas_team_t *team);

#endif
