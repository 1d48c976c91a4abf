/**
 * Bytes of the members that travel with a meeting of a lane (team/arena.h): which, and where they
 * are. In a team of two on one node a few bytes travel so too, in trays beside the word that both
 * wait on, which are used in turn as arenas are.
 */
#ifndef PGASI_TEAM_CARRY_H
#define PGASI_TEAM_CARRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "team/types.h"

/** Whether a team has trays for `nbytes` bytes of a member. */
bool pgasi_carry_has_trays(const pgas_team_t *team, size_t nbytes);

/** What members show in this round, `nbytes` bytes each, travels with the meeting; or, if `pattern`
 *  says so, what that of rank `root` shows, or to it, or what each shows each. All members call it,
 *  with the same arguments, before they show anything. The blocks of all nodes must fit into an
 *  arena, or what a member shows, each of them, into a tray. */
void pgasi_carry_set(pgasi_lane_t *lane, pgasi_carry_pattern_t pattern, uint32_t root,
                     size_t nbytes);

/** What `senders` members of each node show each, `nbytes` bytes for each, travels with the
 * meeting: those from place `first` on the node on (team/seats.h). All members call it, with the
 * same arguments, before they show anything. An arena must hold the blocks. */
void pgasi_carry_some(pgasi_lane_t *lane, size_t nbytes, uint32_t first, uint32_t senders);

/** What members show in this round, `nbytes` bytes each, travels with the meeting to all. False:
 * the team has one node, or an arena has no room for that, and nothing travels. */
bool pgasi_carry_to_all(pgasi_lane_t *lane, size_t nbytes);

/** After pgasi_carry_set to all or to a root: what travels of a node is what its members show,
 *  combined by the last of them to come, from the highest rank down; it is there for each of them.
 *  All members call it, with the same arguments. The blocks of all nodes and the operands of all
 *  but one member of the fullest one must fit into an arena. */
void pgasi_carry_combined(pgasi_lane_t *lane, const pgasi_joining_t *joining);

/** The meetings to come carry nothing. */
void pgasi_carry_nothing(pgasi_lane_t *lane);

/** Whether what members show travels itself, and not where it is. */
static inline bool pgasi_carry_brings_bytes(const pgasi_lane_t *lane)
{
    return lane->carry.pattern != PGASI_CARRY_NOTHING && !lane->tells;
}

/** Where in the arena a unit of a block is. */
static inline pgas_ptr_t pgasi_carry_unit(const pgasi_lane_t *lane, uint32_t position,
                                          uint64_t unit)
{
    pgas_ptr_t at = lane->arena;
    at.offset += (uint64_t)position * lane->carry.block + unit * lane->carry.unit;
    return at;
}

/** Of what members of two nodes have for each other, the unit that the member at `from` has for
 *  the one at `to`. */
static inline uint64_t pgasi_carry_between(const pgasi_lane_t *lane, const pgasi_team_seat_t *from,
                                           const pgasi_team_seat_t *to)
{
    return (uint64_t)(from->local - lane->first_sender) * lane->team->most_on_node + to->local;
}

/** Where in the arena the bytes of a rank are, or those that it has for the caller. */
static inline pgas_ptr_t pgasi_carry_place(const pgasi_lane_t *lane, uint32_t rank)
{
    const pgasi_carry_t *carry = &lane->carry;
    const pgasi_team_seat_t *seats = lane->team->seats;
    const pgasi_team_seat_t *seat = &seats[rank];
    uint32_t position =
        pgasi_arena_position(carry, lane->part->nodes, lane->part->mine, seat->node);
    switch (carry->pattern) {
    case PGASI_CARRY_FROM_ROOT:
        return pgasi_carry_unit(lane, position, 0);
    case PGASI_CARRY_EACH:
        return pgasi_carry_unit(lane, position,
                                pgasi_carry_between(lane, seat, &seats[lane->team->rank]));
    default:
        return pgasi_carry_unit(lane, position, lane->joining.combine != NULL ? 0 : seat->local);
    }
}

/** Where the caller's own go: what the node combines, behind the positions but for that of the
 *  highest rank, which others are combined with. */
static inline pgas_ptr_t pgasi_carry_own_place(const pgasi_lane_t *lane)
{
    const pgasi_team_part_t *part = lane->part;
    uint32_t local = lane->team->seats[lane->team->rank].local;
    if (lane->joining.combine == NULL)
        return pgasi_carry_place(lane, lane->team->rank);
    return pgasi_carry_unit(lane, local == part->locals - 1 ? 0 : part->nodes + local, 0);
}

/** And those that the caller has for a rank. */
static inline pgas_ptr_t pgasi_carry_place_for(const pgasi_lane_t *lane, uint32_t rank)
{
    const pgasi_team_part_t *part = lane->part;
    const pgasi_team_seat_t *seats = lane->team->seats;
    return pgasi_carry_unit(lane,
                            pgasi_arena_position_for(part->nodes, part->mine, seats[rank].node),
                            pgasi_carry_between(lane, &seats[lane->team->rank], &seats[rank]));
}

#endif
