/**
 * Which members are missing in a team's barrier, for the watchdog, and which team it is.
 */
#ifndef PGASI_TEAM_WATCH_H
#define PGASI_TEAM_WATCH_H

#include <stddef.h>
#include <stdint.h>

#include "team/types.h"

/** Names a part on another node: its offset there, and the team's id. */
typedef struct pgasi_team_query {
    uint64_t offset;
    uint64_t id;
} pgasi_team_query_t;

/** The part of that place in the calling thread's segment; NULL if there is none. */
pgasi_team_part_t *pgasi_team_find_part(const pgasi_team_query_t *query);

/** The lane whose barrier the calling thread waits in from now on. */
void pgasi_team_watch(const pgasi_lane_t *lane);

/** Writes what that one waits for, and which members are missing, as far as is known. */
void pgasi_team_describe(char *text, size_t size);

/** Writes the reply to another node that asks for the state of this node's part. Returns its
 *  length; 0 if there is no such part. */
size_t pgasi_team_reply(const pgasi_team_query_t *query, void *reply);

/** Before the parts of a team, `first` and those of its other lanes, are freed by their owner: a
 *  question that comes late finds none, and nobody in the process reads them any more. */
void pgasi_team_forget_parts(pgasi_team_part_t *first);

/** Ends the job because two members are in different calls on a team. */
void pgasi_team_differ(const pgas_team_t *team, const pgasi_call_t *mine, const pgasi_call_t *other)
    __attribute__((cold, noreturn));

#endif
