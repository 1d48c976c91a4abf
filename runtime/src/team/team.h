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

/** The thread of a rank, unchecked. */
static inline uint32_t pgasi_team_member(const pgas_team_t *team, uint32_t rank)
{
    if (team->members != NULL)
        return team->members[rank];
    return rank;
}

#endif
