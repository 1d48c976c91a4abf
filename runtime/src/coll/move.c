/* Collectives that move blocks of one size. Each member shows what others need of it in one round,
 * and reads what it needs; it begins with its next neighbour, so that not all read from one. */
#include <pgas/coll.h>

#include <string.h>

#include "coll/fetch.h"
#include "team/meet.h"

void pgas_broadcast(pgas_team_t *team, void *data, size_t nbytes, int root)
{
    PGASI_TEAM_CALL(team, PGASI_BROADCAST, nbytes, (uint64_t)root);
    pgasi_fetch_check_root(__func__, team, root);
    pgasi_fetch_check_buffer(__func__, data, nbytes);
    bool is_root = (uint32_t)root == team->rank;
    if (is_root)
        pgasi_stage_show(team, data, nbytes);
    pgasi_team_meet(team);
    if (!is_root && nbytes > 0) {
        pgasi_fetch(data, pgasi_stage_find(team, (uint32_t)root, nbytes), 0, nbytes);
        pgasi_fetch_wait();
    }
    pgasi_stage_end(team, pgasi_stage_is_long(nbytes));
    pgasi_team_end();
}

void pgas_scatter(pgas_team_t *team, const void *src, void *dst, size_t nbytes, int root)
{
    PGASI_TEAM_CALL(team, PGASI_SCATTER, nbytes, (uint64_t)root);
    pgasi_fetch_check_root(__func__, team, root);
    pgasi_fetch_check_buffer(__func__, dst, nbytes);
    size_t total = pgasi_fetch_product(__func__, team->size, nbytes);
    bool is_root = (uint32_t)root == team->rank;
    if (is_root) {
        pgasi_fetch_check_buffer(__func__, src, nbytes);
        pgasi_stage_show(team, src, total);
    }
    pgasi_team_meet(team);
    if (is_root && nbytes > 0) {
        memcpy(dst, (const char *)src + team->rank * nbytes, nbytes);
    } else if (nbytes > 0) {
        pgasi_fetch(dst, pgasi_stage_find(team, (uint32_t)root, total), team->rank * nbytes,
                    nbytes);
        pgasi_fetch_wait();
    }
    pgasi_stage_end(team, pgasi_stage_is_long(total));
    pgasi_team_end();
}

/* Reads the blocks of all others, each `offset` bytes from the beginning of `shown_bytes` bytes
 * that its member shows, to their places in `dst`. */
static void fetch_blocks(const char *call, pgas_team_t *team, void *dst, size_t offset,
                         size_t nbytes, size_t shown_bytes)
{
    pgasi_shown_t *shown = NULL;
    if (pgasi_stage_is_long(shown_bytes)) {
        shown = pgasi_fetch_table(call, team);
        pgasi_stage_look_all(team, 0, team->size, shown);
    }
    for (uint32_t i = 1; i < team->size; i++) {
        uint32_t rank = pgasi_fetch_neighbour(team, i);
        pgas_ptr_t at = shown != NULL ? shown[rank].at : pgasi_stage_find(team, rank, shown_bytes);
        pgasi_fetch((char *)dst + rank * nbytes, at, offset, nbytes);
    }
    pgasi_fetch_wait();
}

/* A member's own block does not go round by what it shows. */
static void copy_own(const pgas_team_t *team, void *dst, const void *block, size_t nbytes)
{
    if (nbytes > 0)
        memcpy((char *)dst + team->rank * nbytes, block, nbytes);
}

void pgas_gather(pgas_team_t *team, const void *src, void *dst, size_t nbytes, int root)
{
    PGASI_TEAM_CALL(team, PGASI_GATHER, nbytes, (uint64_t)root);
    pgasi_fetch_check_root(__func__, team, root);
    pgasi_fetch_check_buffer(__func__, src, nbytes);
    bool is_root = (uint32_t)root == team->rank;
    if (!is_root)
        pgasi_stage_show(team, src, nbytes);
    pgasi_team_meet(team);
    if (is_root && nbytes > 0) {
        pgasi_fetch_check_buffer(__func__, dst, nbytes);
        pgasi_fetch_product(__func__, team->size, nbytes);
        copy_own(team, dst, src, nbytes);
        fetch_blocks(__func__, team, dst, 0, nbytes, nbytes);
    }
    pgasi_stage_end(team, pgasi_stage_is_long(nbytes));
    pgasi_team_end();
}

void pgas_allgather(pgas_team_t *team, const void *src, void *dst, size_t nbytes)
{
    PGASI_TEAM_CALL(team, PGASI_ALLGATHER, nbytes);
    pgasi_fetch_check_buffer(__func__, src, nbytes);
    pgasi_fetch_check_buffer(__func__, dst, nbytes);
    pgasi_fetch_product(__func__, team->size, nbytes);
    pgasi_stage_show(team, src, nbytes);
    pgasi_team_meet(team);
    copy_own(team, dst, src, nbytes);
    fetch_blocks(__func__, team, dst, 0, nbytes, nbytes);
    pgasi_stage_end(team, pgasi_stage_is_long(nbytes));
    pgasi_team_end();
}

void pgas_alltoall(pgas_team_t *team, const void *src, void *dst, size_t nbytes)
{
    PGASI_TEAM_CALL(team, PGASI_ALLTOALL, nbytes);
    pgasi_fetch_check_buffer(__func__, src, nbytes);
    pgasi_fetch_check_buffer(__func__, dst, nbytes);
    size_t total = pgasi_fetch_product(__func__, team->size, nbytes);
    pgasi_stage_show(team, src, total);
    pgasi_team_meet(team);
    if (nbytes > 0)
        copy_own(team, dst, (const char *)src + team->rank * nbytes, nbytes);
    fetch_blocks(__func__, team, dst, team->rank * nbytes, nbytes, total);
    pgasi_stage_end(team, pgasi_stage_is_long(total));
    pgasi_team_end();
}
