#include "team/part.h"

#include "node/node.h"

/* The part's own memory ends with the rounds that its barrier needs. */
static size_t size_of_state(uint32_t nodes)
{
    return offsetof(pgasi_team_part_t, state) + offsetof(pgasi_dissemination_t, slots) +
           pgasi_dissemination_rounds(nodes) * sizeof(pgasi_signal_t[2]);
}

size_t pgasi_part_size(uint32_t nodes, uint32_t locals)
{
    size_t places = (size_t)locals + (nodes > 1 ? nodes : 0);
    return size_of_state(nodes) + places * sizeof(pgasi_team_place_t);
}

pgasi_team_place_t *pgasi_part_locals(pgasi_team_part_t *part)
{
    return (pgasi_team_place_t *)(void *)((char *)part + size_of_state(part->nodes));
}

pgasi_team_place_t *pgasi_part_nodes(pgasi_team_part_t *part)
{
    return pgasi_part_locals(part) + part->locals;
}

pgasi_team_place_t pgasi_part_local(const pgasi_team_part_t *part, uint32_t i)
{
    pgasi_team_kind_t kind =
        part->id < PGASI_KIND_SPLIT ? (pgasi_team_kind_t)part->id : PGASI_KIND_SPLIT;
    if (kind == PGASI_KIND_SPLIT)
        return pgasi_part_locals((pgasi_team_part_t *)part)[i];
    uint32_t thread = pgasi_nodes.threads[i];
    return (pgasi_team_place_t){
        .thread = thread,
        .rank = kind == PGASI_KIND_ALL    ? thread
                : kind == PGASI_KIND_NODE ? i
                                          : pgasi_nodes.mine,
        .offset = pgasi_team_fixed_board(kind),
    };
}

pgasi_team_place_t pgasi_part_node(const pgasi_team_part_t *part, uint32_t i)
{
    if (part->id >= PGASI_KIND_SPLIT)
        return pgasi_part_nodes((pgasi_team_part_t *)part)[i];
    return (pgasi_team_place_t){
        .thread = pgasi_nodes.leaders[i],
        .offset = pgasi_team_fixed_part((pgasi_team_kind_t)part->id),
    };
}
