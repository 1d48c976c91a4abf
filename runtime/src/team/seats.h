/**
 * Where the members of a team sit: on which of its nodes, and as which of the members there
 * (pgasi_team_seat_t).
 */
#ifndef PGASI_TEAM_SEATS_H
#define PGASI_TEAM_SEATS_H

#include <stdbool.h>

#include "team/types.h"

/** Makes the team's table of seats, if it has none. Who needs it first makes it; the progress
 * thread must not. Ends the job if there is no memory. */
void pgasi_seats_make(pgas_team_t *team);

/** Whether in ascending order of ranks a node comes twice. */
bool pgasi_seats_are_interleaved(pgas_team_t *team);

#endif
