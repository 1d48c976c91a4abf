/**
 * The places of a team's part on a node: its members there, and its nodes.
 */
#ifndef PGASI_TEAM_PART_H
#define PGASI_TEAM_PART_H

#include <stddef.h>
#include <stdint.h>

#include "team/types.h"

/** Bytes of the parts of a split team of `nodes` nodes with `locals` members on this one, and
 * arenas of `arena` bytes. */
size_t pgasi_part_size(uint32_t nodes, uint32_t locals, uint32_t arena);

/** The part of a lane, from that of the first one, whose `id` and `nodes` are written. */
pgasi_team_part_t *pgasi_part_of_lane(pgasi_team_part_t *first, uint32_t lane);

/** The i-th member on the node of the part, in ascending order of threads; `offset` is its board's
 *  of the lane, 0 while it is not known. */
pgasi_team_place_t pgasi_part_local(const pgasi_team_part_t *part, uint32_t i);

/** The lowest member of the i-th node of the team; `offset` is that of the node's part. */
pgasi_team_place_t pgasi_part_node(const pgasi_team_part_t *part, uint32_t i);

/** Writes zeros to the parts of all lanes and to what follows their arenas, before anything else.
 */
void pgasi_part_clear(void *parts, uint32_t nodes, uint32_t locals, uint32_t arena);

/** The arena of a phase: in the calling thread's memory, and in the segment of a node's part, from
 *  that part's offset. */
char *pgasi_part_arena(const pgasi_team_part_t *part, uint64_t phase);
uint64_t pgasi_part_arena_offset(const pgasi_team_part_t *part, uint64_t offset, uint64_t phase);

/** The same places of a split team, to be written before its first barrier. */
pgasi_team_place_t *pgasi_part_locals(pgasi_team_part_t *part);
pgasi_team_place_t *pgasi_part_nodes(pgasi_team_part_t *part);

#endif
