#include "team/part.h"

#include "node/node.h"

/* A part's own memory ends with the rounds that its barrier needs; the same on all nodes. */
static size_t size_of_part(uint32_t nodes)
{
    size_t size = offsetof(pgasi_team_part_t, state) + offsetof(pgasi_dissemination_t, slots) +
                  pgasi_dissemination_rounds(nodes) * sizeof(pgasi_signal_t[2]);
    return (size + alignof(pgasi_team_part_t) - 1) / alignof(pgasi_team_part_t) *
           alignof(pgasi_team_part_t);
}

size_t pgasi_part_size(uint32_t nodes, uint32_t locals)
{
    size_t places = (size_t)locals + (nodes > 1 ? nodes : 0);
    return PGASI_LANES * size_of_part(nodes) + places * sizeof(pgasi_team_place_t);
}

pgasi_team_part_t *pgasi_part_of_lane(pgasi_team_part_t *first, uint32_t lane)
{
    size_t size = first->id < PGASI_KIND_SPLIT ? sizeof *first : size_of_part(first->nodes);
    return (pgasi_team_part_t *)(void *)((char *)first + lane * size);
}

pgasi_team_place_t *pgasi_part_locals(pgasi_team_part_t *part)
{
    char *first = (char *)part - part->lane * size_of_part(part->nodes);
    return (pgasi_team_place_t *)(void *)(first + PGASI_LANES * size_of_part(part->nodes));
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
