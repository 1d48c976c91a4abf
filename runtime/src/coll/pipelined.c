/*
 * Long blocks on one node. A member whose bytes others cannot read in place shows them a piece at a
 * time, in two halves of its stage that take turns. As with the slots of a board, that of piece k
 * is written again for piece k + 2 by a member that has left the meeting of piece k + 1, to which
 * all have come, and so have read piece k: one meeting for each piece is enough, and the last one
 * for what was read last.
 */
#include "coll/pipelined.h"

#include <pgas/detail.h>

#include "coll/fetch.h"

/* Each of the others gets bytes of its own. */
static bool is_each(const pgasi_coll_t *coll)
{
    return pgasi_coll_is_each(coll->kind);
}

/* Whether the caller shows something. */
static bool shows(const pgasi_coll_t *coll)
{
    pgasi_carry_pattern_t pattern = pgasi_coll_pattern(coll->kind);
    if (pattern == PGASI_CARRY_FROM_ROOT)
        return pgasi_coll_is_root(coll);
    return pattern != PGASI_CARRY_TO_ROOT || !pgasi_coll_is_root(coll);
}

static size_t piece_of(const pgasi_coll_t *coll)
{
    return pgasi_coll_piece(coll->kind, pgasi_coll_team(coll)->size);
}

/* Bytes of a half of the stage. */
static size_t half_of(const pgasi_coll_t *coll)
{
    return (is_each(coll) ? pgasi_coll_team(coll)->size - 1 : 1) * piece_of(coll);
}

/* Bytes of the piece that comes next. */
static size_t next_bytes(const pgasi_coll_t *coll)
{
    size_t left = coll->nbytes - coll->done;
    return left < piece_of(coll) ? left : piece_of(coll);
}

/* How far into a stage the half for the next piece is. */
static size_t next_half(const pgasi_coll_t *coll)
{
    return coll->done / piece_of(coll) % 2 * half_of(coll);
}

/* Those for others lie in the order of their distance behind the caller. */
static void copy_piece(const pgasi_coll_t *coll, char *stage)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    const char *src = (const char *)coll->src + coll->done;
    char *to = stage + next_half(coll);
    if (!is_each(coll)) {
        pgasi_copy(to, src, next_bytes(coll));
        return;
    }
    for (uint32_t i = 1; i < team->size; i++)
        pgasi_copy(to + (i - 1) * piece_of(coll),
                   src + pgasi_fetch_neighbour(team, i) * coll->nbytes, next_bytes(coll));
}

/* Whether the bytes of a rank that shows some come in pieces. */
static bool is_in_pieces(const pgasi_coll_t *coll, uint32_t rank)
{
    return coll->shown[rank].nbytes == 0;
}

/* The next piece, or as much of what lies there whole. */
static void read_piece(pgasi_coll_t *coll, uint32_t rank, uint32_t distance, char *to,
                       size_t nbytes)
{
    size_t offset = coll->offset + coll->done;
    if (is_in_pieces(coll, rank))
        offset = next_half(coll) + (is_each(coll) ? distance - 1 : 0) * piece_of(coll);
    pgasi_fetch(coll, to + coll->done, rank, offset, nbytes);
}

/* Those of all others, or of the root. A member is `distance` behind each that it reads from. */
static void read_pieces(pgasi_coll_t *coll, size_t nbytes)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    bool is_from_root = pgasi_coll_pattern(coll->kind) == PGASI_CARRY_FROM_ROOT;
    char *dst = coll->dst;
    for (uint32_t i = 1; i < team->size; i++) {
        uint32_t rank = pgasi_fetch_neighbour(team, i);
        if (!is_from_root || rank == coll->root)
            read_piece(coll, rank, team->size - i, is_from_root ? dst : dst + rank * coll->nbytes,
                       nbytes);
    }
}

static pgasi_next_t next_piece(pgasi_coll_t *coll)
{
    size_t nbytes = coll->is_whole ? coll->nbytes : next_bytes(coll);
    if (coll->wants)
        read_pieces(coll, nbytes);
    coll->done += nbytes;
    if (coll->done == coll->nbytes)
        return pgasi_coll_close(coll);
    if (shows(coll) && is_in_pieces(coll, pgasi_coll_team(coll)->rank))
        copy_piece(coll, pgasi_stage_reserve(coll->lane, 2 * half_of(coll)));
    return PGASI_NEXT_MEET;
}

/* All members look at all that show something, so that they agree on how many pieces there are. */
static bool is_any_in_pieces(const pgasi_coll_t *coll)
{
    bool is_to_root = pgasi_coll_pattern(coll->kind) == PGASI_CARRY_TO_ROOT;
    for (uint32_t i = 0; i < coll->shown_count; i++) {
        uint32_t rank = coll->first_shown + i;
        if (!(is_to_root && rank == coll->root) && is_in_pieces(coll, rank))
            return true;
    }
    return false;
}

/* A member's own block does not go round by what it shows. */
static void copy_own(pgasi_coll_t *coll)
{
    const char *src = (const char *)coll->src + coll->offset;
    char *dst = coll->dst;
    if (coll->kind == PGASI_KIND_OF_BROADCAST)
        return;
    if (coll->kind != PGASI_KIND_OF_SCATTER)
        dst += pgasi_coll_team(coll)->rank * coll->nbytes;
    if (coll->kind == PGASI_KIND_OF_SCATTER ? pgasi_coll_is_root(coll) : coll->wants)
        pgasi_fetch_own(coll, dst, src, coll->nbytes);
}

static pgasi_next_t first_piece(pgasi_coll_t *coll)
{
    pgasi_fetch_found(coll);
    coll->is_whole = !is_any_in_pieces(coll);
    copy_own(coll);
    coll->step = next_piece;
    return next_piece(coll);
}

static pgasi_next_t look(pgasi_coll_t *coll)
{
    if (pgasi_coll_pattern(coll->kind) == PGASI_CARRY_FROM_ROOT)
        return pgasi_fetch_look(coll, coll->root, 1, first_piece);
    return pgasi_fetch_look(coll, 0, pgasi_coll_team(coll)->size, first_piece);
}

pgasi_next_t pgasi_pipelined_show(pgasi_coll_t *coll)
{
    pgasi_carry_pattern_t pattern = pgasi_coll_pattern(coll->kind);
    coll->wants = pattern == PGASI_CARRY_FROM_ROOT || pattern == PGASI_CARRY_TO_ROOT
                      ? pgasi_coll_is_root(coll) == (pattern == PGASI_CARRY_TO_ROOT)
                      : true;
    coll->done = 0;
    coll->step = look;
    if (shows(coll) && !pgasi_stage_show_in_place(coll->lane, coll->src, coll->shown_bytes))
        copy_piece(coll, pgasi_stage_begin_pieces(coll->lane, 2 * half_of(coll)));
    return PGASI_NEXT_MEET;
}
