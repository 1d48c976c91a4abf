/**
 * Rounds: every member may show some bytes to the others, all meet, and each reads what it needs.
 *
 *   pgasi_stage_show(team, src, nbytes);
 *   pgasi_team_meet(team);
 *   ... pgasi_stage_find(team, rank, nbytes) ...
 *   pgasi_stage_end(team, nbytes);
 *
 * Up to PGASI_TEAM_SLOT bytes are shown in a slot of the member's board. There are two, used in
 * turn: that of round k is written again in round k + 2, by a member that has left the meeting of
 * round k + 1, to which all have come, and so have read round k. A round with more bytes needs
 * another meeting at its end, since its memory is used again at once: the stage, which a process
 * has once for all its teams and keeps, or the program's own.
 *
 * Members on other nodes read by gets, which the progress thread of the owner serves.
 */
#ifndef PGASI_TEAM_STAGE_H
#define PGASI_TEAM_STAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <pgas/types.h>

#include "team/types.h"

/** The bytes that a member shows: where, and how many. */
typedef struct pgasi_shown {
    pgas_ptr_t at;
    size_t nbytes;
} pgasi_shown_t;

/** Whether a round in which a member shows `nbytes` bytes needs the second meeting. */
static inline bool pgasi_stage_is_long(size_t nbytes)
{
    return nbytes > PGASI_TEAM_SLOT;
}

/** Shows `nbytes` bytes that the caller will write to the place returned, before it meets. Ends the
 *  job if the heap has no room for them. */
void *pgasi_stage_begin(pgas_team_t *team, size_t nbytes);

/** Shows `nbytes` bytes from `src`: copied, unless they are many and lie in the own segment. */
void pgasi_stage_show(pgas_team_t *team, const void *src, size_t nbytes);

/** The stage, of at least `nbytes` bytes: for rounds whose bytes the caller puts there itself. */
char *pgasi_stage_reserve(size_t nbytes);

/** Whether the bytes lie in the heap of the own segment. */
bool pgasi_stage_is_shared(const void *src, size_t nbytes);

/** Shows bytes that lie there, or in the stage, without a copy. */
void pgasi_stage_lend(pgas_team_t *team, const void *src, size_t nbytes);

/** Begins another round before the last has ended: what members show in either can be read. */
void pgasi_stage_next(pgas_team_t *team);

/** After the meeting: where the bytes of `rank` are, which shows `nbytes`. */
pgas_ptr_t pgasi_stage_find(const pgas_team_t *team, uint32_t rank, size_t nbytes);

/** The same where the caller does not know how many they are; that member has called
 *  pgasi_stage_begin or _show in this round. */
pgasi_shown_t pgasi_stage_look(const pgas_team_t *team, uint32_t rank);

/** The same of the `count` members from `first` on. */
void pgasi_stage_look_all(const pgas_team_t *team, uint32_t first, uint32_t count,
                          pgasi_shown_t *shown);

/** Ends a round. `is_long` must be the same on all members, and true if any of them shows more than
 *  a slot holds: they meet again. */
void pgasi_stage_end(pgas_team_t *team, bool is_long);

#endif
