/**
 * Barriers of teams (pgas/team.h).
 */
#ifndef PGASI_COLL_BARRIER_H
#define PGASI_COLL_BARRIER_H

/** Ends the job if the caller is between notify and wait on any team. */
void pgasi_team_require_waited(const char *call);

#endif
