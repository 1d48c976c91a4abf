/**
 * Rounds of a collective call: every member may show some bytes to the others, all meet, and each
 * reads what it needs.
 *
 *   pgasi_stage_show(lane, src, nbytes);
 *   pgasi_team_meet(lane, call);
 *   ... pgasi_stage_find(lane, rank) ...
 *   pgasi_stage_end(lane);
 *
 * Up to PGASI_TEAM_SLOT bytes are shown in a slot of the member's board. There are two, used in
 * turn: that of the lane's round k is written again in round k + 2, by a member that has left the
 * meeting of round k + 1, to which all have come, and so have read round k. A round with more bytes
 * (pgasi_stage_is_long) needs another meeting before its end, since its memory is used again at
 * once: a stage, of which a lane has one while it needs it, or the program's own.
 *
 * Members on other nodes read by gets, which the progress thread of the owner serves; unless the
 * bytes travel with the meeting (team/carry.h). Then all are in the arena of the node's part
 * afterwards, where members of the node read them, as if they were in the slots.
 */
#ifndef PGASI_TEAM_STAGE_H
#define PGASI_TEAM_STAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <pgas/types.h>

#include "copy/group.h"
#include "team/types.h"

/** The bytes that a member shows: where, how many, and whether their memory is used again at once,
 *  or that of others that it shows. */
typedef struct pgasi_shown {
    pgas_ptr_t at;
    size_t nbytes;
    bool is_long;
    /** By pgasi_stage_show_blocks: of the blocks that it shows and that do not travel, whoever they
     *  are for, the bytes of the largest, and of all. */
    size_t largest;
    size_t all;
} pgasi_shown_t;

/** Bytes that tell where a member's bytes are, and how many; and by pgasi_stage_show_blocks. */
#define PGASI_STAGE_WORDS 16
#define PGASI_STAGE_WORDS_OF_EACH 32

/** Whether a round in which a member shows `nbytes` bytes needs the second meeting. */
static inline bool pgasi_stage_is_long(size_t nbytes)
{
    return nbytes > PGASI_TEAM_SLOT;
}

/** Where the bytes of all members are, and how many, travels with the meeting in this round, so
 * that pgasi_stage_look finds it on the own node; unless the team has one node, or too many members
 * for an arena. All members call it before they show anything. */
void pgasi_stage_tell(pgasi_lane_t *lane);

/** The same, as pgasi_carry_set has it; and with it travel the bytes of members that show no more
 *  than a unit of `unit` bytes holds, behind those that tell. */
void pgasi_stage_tell_eagerly(pgasi_lane_t *lane, pgasi_carry_pattern_t pattern, uint32_t root,
                              size_t unit);

/** Shows `nbytes` bytes that the caller will write to the place returned, before it meets. Ends the
 *  job if the heap has no room for them. */
void *pgasi_stage_begin(pgasi_lane_t *lane, size_t nbytes);

/** Shows a stage of `nbytes` bytes of which the caller will write a part before each of several
 *  meetings; pgasi_stage_look tells of 0 bytes there. Ends the job as pgasi_stage_begin does. */
void *pgasi_stage_begin_pieces(pgasi_lane_t *lane, size_t nbytes);

/** Shows `nbytes` bytes from `src` without a copy, if they lie in the own segment, or if only other
 *  nodes have members that read them, and the network reads private memory; in a round that needs
 *  another meeting, and does not travel. False: it has not, or there are none. */
bool pgasi_stage_show_in_place(pgasi_lane_t *lane, const void *src, size_t nbytes);

/** Shows `nbytes` bytes from `src`: in place where that can be, else copied. */
void pgasi_stage_show(pgasi_lane_t *lane, const void *src, size_t nbytes);

/** The same of bytes that one member alone reads: from private memory, if it is on another node and
 *  the network reads that. */
void pgasi_stage_show_to(pgasi_lane_t *lane, const void *src, size_t nbytes, uint32_t reader);

/** The same of bytes of which nobody else reads the `own_nbytes` from `own` on: those need not be
 *  copied. */
void pgasi_stage_show_others(pgasi_lane_t *lane, const void *src, size_t nbytes, size_t own,
                             size_t own_nbytes);

/** The same of a block of `block` bytes for each member, in the order of ranks, of which each reads
 *  its own alone: members of other nodes where the block lies, if the network reads private memory,
 *  so that only those of the own one need a copy. */
void pgasi_stage_show_apart(pgasi_lane_t *lane, const void *src, size_t block);

/** Copies bytes without the `own_nbytes` from `own` on, which nobody else reads, to where others
 *  will read them. */
void pgasi_stage_copy_others(char *to, const void *src, size_t nbytes, size_t own,
                             size_t own_nbytes);

/** Shows each other member its own `nbytes` bytes, which lie in the order of ranks from `src` on,
 * in a round in which they travel (PGASI_CARRY_EACH). */
void pgasi_stage_show_each(pgasi_lane_t *lane, const void *src, size_t nbytes);

/** Shows each other member a block of its own, in a round in which all are told where what each has
 *  for each is: of counts[rank] bytes, displs[rank] bytes from `src` on. */
void pgasi_stage_show_blocks(pgasi_lane_t *lane, const void *src, const size_t *counts,
                             const size_t *displs);

/** And in the round behind that, those of more than `least` bytes, which travel as
 *  pgasi_stage_show_each has it. */
void pgasi_stage_show_rest(pgasi_lane_t *lane, const void *src, const size_t *counts,
                           const size_t *displs, size_t least);

/** The lane's stage, of at least `nbytes` bytes: for rounds whose bytes the caller puts there
 *  itself. */
char *pgasi_stage_reserve(pgasi_lane_t *lane, size_t nbytes);

/** Whether the bytes lie in the heap of the own segment. */
bool pgasi_stage_is_shared(const void *src, size_t nbytes);

/** Shows bytes that lie there, or in the stage, without a copy. */
void pgasi_stage_lend(pgasi_lane_t *lane, const void *src, size_t nbytes);

/** Begins another round before the last has ended: what members show in either can be read. */
void pgasi_stage_next(pgasi_lane_t *lane);

/** After the meeting: where the bytes of `rank`, or those for the caller alone, are, if they are
 * not many, or have travelled. */
pgas_ptr_t pgasi_stage_find(const pgasi_lane_t *lane, uint32_t rank);

/** Starts to look where the bytes of `count` members from `first` on are, and how many: all have
 *  shown some in this round, 0 or more. When `group` is complete, pgasi_stage_seen makes of `shown`
 *  what it says. */
void pgasi_stage_look(const pgasi_lane_t *lane, pgasi_group_t *group, uint32_t first,
                      uint32_t count, pgasi_shown_t *shown);
void pgasi_stage_seen(const pgasi_lane_t *lane, uint32_t first, uint32_t count,
                      pgasi_shown_t *shown);

/** Ends a round, after another meeting if a member showed more than a slot holds. */
void pgasi_stage_end(pgasi_lane_t *lane);

#endif
