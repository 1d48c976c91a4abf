/**
 * A split team, put together from its members and taken apart again: its private description, the
 * member's boards and the node's part. Nothing here is collective.
 */
#ifndef PGASI_TEAM_ASSEMBLE_H
#define PGASI_TEAM_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include <pgas/types.h>

#include "team/types.h"

/** A member of the new team: its key and its rank in the parent. */
typedef struct pgasi_team_candidate {
    int64_t key;
    uint32_t rank;
} pgasi_team_candidate_t;

/** Where a member's board is, and the node's part. */
typedef struct pgasi_team_shown {
    uint64_t board;
    /** 0 in all but the lowest member of a node. */
    uint64_t part;
    uint64_t has_failed;
} pgasi_team_shown_t;

/** What the members, in ascending order of threads, say of the nodes: a node's members need not
 *  follow each other there. */
typedef struct pgasi_team_nodes {
    uint32_t count;
    uint32_t locals;
    /** The largest number of members on one. */
    uint32_t most;
    /** By node of the job, the lowest member + 1, 0: none; and the number of members. One
     *  allocation, which the caller frees by `lowest`. */
    uint32_t *lowest;
    uint32_t *members;
} pgasi_team_nodes_t;

/** Makes the description of a team of `size` members of `parent` in their order, the caller's
 *  board, and in the lowest member of a node the part; the places in these come later. Returns
 *  false if there is no memory, and leaves nothing. */
bool pgasi_team_assemble(const pgas_team_t *parent, const pgasi_team_candidate_t *chosen,
                         uint32_t size, pgasi_team_nodes_t *nodes, pgas_team_t **made);

/** Fills in where the others' boards and parts are, from the places by rank in the parent, and the
 *  own place on the node. */
void pgasi_team_connect(pgas_team_t *team, const pgasi_team_candidate_t *chosen,
                        const pgasi_team_shown_t *places, const pgasi_team_nodes_t *nodes);

/** Frees all of a team that no program has got; NULL is allowed. */
void pgasi_team_discard(pgas_team_t *team);

/** Frees all of a team. An empty description stays for a while, so that calls on a team that is
 *  freed are found. */
void pgasi_team_disband(pgas_team_t *team);

#endif
