/**
 * What a team's nodes tell each other in a meeting: the signals of a dissemination among them
 * (shm/dissemination.h), and with them what travels (team/arena.h).
 *
 * The last member of a node to arrive starts the phase there, and whoever receives its last signal
 * completes it. The state is in the lane's part on each node, which signals name by its offset, so
 * that the receiver needs no table of teams.
 */
#ifndef PGASI_TEAM_BETWEEN_H
#define PGASI_TEAM_BETWEEN_H

#include "team/types.h"

/** All members of the node have arrived: starts the phase. */
void pgasi_team_between_start(const pgasi_lane_t *lane);

/** Ends the job if the phase that is complete has found nodes in different calls. */
void pgasi_team_between_check(const pgasi_lane_t *lane);

/** Serves signals to other nodes. Between pgasi_net_init and pgasi_net_start. */
void pgasi_team_serve(void);

#endif
