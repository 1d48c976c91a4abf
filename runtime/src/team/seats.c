#include "team/seats.h"

#include <stdlib.h>

#include <pgas/detail.h>

#include "node/node.h"

/* The nodes of the team in the order of their numbers, and the members of each in that of ranks. */
static pgasi_team_seat_t *create_seats(const pgas_team_t *team)
{
    pgasi_team_seat_t *seats = malloc(team->size * sizeof *seats);
    uint32_t *counts = calloc(pgasi_nodes.count, sizeof *counts);
    uint32_t *indices = calloc(pgasi_nodes.count, sizeof *indices);
    if (seats == NULL || counts == NULL || indices == NULL)
        pgasi_fatal("pgas_team_t", "no memory for a table of %u members", team->size);
    for (uint32_t rank = 0; rank < team->size; rank++) {
        uint32_t node = pgasi_job.peers[pgasi_team_member(team, rank)].node;
        seats[rank] = (pgasi_team_seat_t){.node = node, .local = counts[node]++};
    }
    for (uint32_t node = 1; node < pgasi_nodes.count; node++)
        indices[node] = indices[node - 1] + (counts[node - 1] > 0);
    for (uint32_t rank = 0; rank < team->size; rank++)
        seats[rank].node = indices[seats[rank].node];
    free(counts);
    free(indices);
    return seats;
}

void pgasi_seats_make(pgas_team_t *team)
{
    if (team->seats == NULL)
        team->seats = create_seats(team);
}

bool pgasi_seats_are_interleaved(pgas_team_t *team)
{
    uint32_t changes = 1;
    if (team->nodes == 1)
        return false;
    pgasi_seats_make(team);
    for (uint32_t rank = 1; rank < team->size; rank++)
        changes += team->seats[rank].node != team->seats[rank - 1].node;
    return changes > team->nodes;
}
