#include "team/part.h"

#include <string.h>

#include "node/node.h"

/* A part's own memory ends with the rounds that its barrier needs; the same on all nodes. */
static size_t size_of_part(uint32_t nodes)
{
    size_t size = offsetof(pgasi_team_part_t, state) + offsetof(pgasi_dissemination_t, slots) +
                  pgasi_dissemination_rounds(nodes) * sizeof(pgasi_signal_t[2]);
    return (size + alignof(pgasi_team_part_t) - 1) / alignof(pgasi_team_part_t) *
           alignof(pgasi_team_part_t);
}

/* Of the parts of all lanes and their arenas. */
static size_t size_of_parts(uint32_t nodes, uint32_t arena)
{
    return PGASI_LANES * (size_of_part(nodes) + 2 * (size_t)arena);
}

/* From one lane's part to the next. */
static size_t stride_of(const pgasi_team_part_t *part)
{
    return part->id < PGASI_KIND_SPLIT ? sizeof *part : size_of_part(part->nodes);
}

size_t pgasi_part_size(uint32_t nodes, uint32_t locals, uint32_t arena)
{
    size_t places = (size_t)locals + (nodes > 1 ? nodes : 0);
    return size_of_parts(nodes, arena) + places * sizeof(pgasi_team_place_t);
}

/* Arenas are read where they have been written: most of a large one may stay without pages. */
void pgasi_part_clear(void *parts, uint32_t nodes, uint32_t locals, uint32_t arena)
{
    size_t places = size_of_parts(nodes, arena);
    memset(parts, 0, size_of_parts(nodes, 0));
    memset((char *)parts + places, 0, pgasi_part_size(nodes, locals, arena) - places);
}

pgasi_team_part_t *pgasi_part_of_lane(pgasi_team_part_t *first, uint32_t lane)
{
    return (pgasi_team_part_t *)(void *)((char *)first + lane * stride_of(first));
}

uint64_t pgasi_part_arena_offset(const pgasi_team_part_t *part, uint64_t offset, uint64_t phase)
{
    uint64_t arenas = offset + (PGASI_LANES - part->lane) * stride_of(part);
    return arenas + (2 * (uint64_t)part->lane + phase % 2) * part->arena;
}

char *pgasi_part_arena(const pgasi_team_part_t *part, uint64_t phase)
{
    return (char *)part + pgasi_part_arena_offset(part, 0, phase);
}

pgasi_team_place_t *pgasi_part_locals(pgasi_team_part_t *part)
{
    char *first = (char *)part - part->lane * size_of_part(part->nodes);
    return (pgasi_team_place_t *)(void *)(first + size_of_parts(part->nodes, part->arena));
}

pgasi_team_place_t *pgasi_part_nodes(pgasi_team_part_t *part)
{
    return pgasi_part_locals(part) + part->locals;
}

static pgasi_team_place_t shift(pgasi_team_place_t place, uint64_t by)
{
    if (place.offset != 0)
        place.offset += by;
    return place;
}

pgasi_team_place_t pgasi_part_local(const pgasi_team_part_t *part, uint32_t i)
{
    pgasi_team_kind_t kind =
        part->id < PGASI_KIND_SPLIT ? (pgasi_team_kind_t)part->id : PGASI_KIND_SPLIT;
    if (kind == PGASI_KIND_SPLIT)
        return shift(pgasi_part_locals((pgasi_team_part_t *)part)[i],
                     part->lane * sizeof(pgasi_team_board_t));
    uint32_t thread = pgasi_nodes.threads[i];
    return (pgasi_team_place_t){
        .thread = thread,
        .rank = kind == PGASI_KIND_ALL    ? thread
                : kind == PGASI_KIND_NODE ? i
                                          : pgasi_nodes.mine,
        .offset = pgasi_team_fixed_board(kind) + part->lane * sizeof(pgasi_team_board_t),
    };
}

pgasi_team_place_t pgasi_part_node(const pgasi_team_part_t *part, uint32_t i)
{
    if (part->id >= PGASI_KIND_SPLIT)
        return shift(pgasi_part_nodes((pgasi_team_part_t *)part)[i],
                     part->lane * size_of_part(part->nodes));
    return (pgasi_team_place_t){
        .thread = pgasi_nodes.leaders[i],
        .offset = pgasi_team_fixed_part((pgasi_team_kind_t)part->id) +
                  part->lane * sizeof(pgasi_team_part_t),
    };
}
