/**
 * A question about a team that is freed finds no part: the memory is the program's again, and a
 * question that was on its way comes from a node that has been stopped, or is slow. And a team that
 * is freed is known as such after many splits for which there was no memory.
 */
#include <pgas/pgas.h>

#include "check.h"
#include "node/node.h"
#include "sync/missing.h"
#include "team/part.h"
#include "team/watch.h"

static pgasi_team_query_t question_for(const pgas_team_t *team, uint32_t lane)
{
    char *base = pgasi_job.peers[pgasi_job.thread].base;
    pgasi_team_part_t *first = (void *)(base + team->part_offset);
    char *part = (void *)pgasi_part_of_lane(first, lane);
    return (pgasi_team_query_t){.offset = (uint64_t)(part - base), .id = team->id};
}

static void try_free(void)
{
    pgasi_team_query_t questions[PGASI_LANES] = {{0}};
    pgasi_missing_t reply;
    pgas_team_t *team;
    CHECK(pgas_team_split(PGAS_TEAM_ALL, 1, pgas_mythread(), &team) == PGAS_OK);
    bool has_part = pgasi_node_is_leader();
    CHECK((team->part_offset != 0) == has_part);
    for (uint32_t lane = 0; lane < PGASI_LANES && has_part; lane++) {
        questions[lane] = question_for(team, lane);
        CHECK(pgasi_team_find_part(&questions[lane]) != NULL);
        CHECK(pgasi_team_reply(&questions[lane], &reply) == sizeof reply);
    }
    pgas_barrier();
    pgas_team_free(team);
    for (uint32_t lane = 0; lane < PGASI_LANES && has_part; lane++) {
        CHECK(pgasi_team_find_part(&questions[lane]) == NULL);
        CHECK(pgasi_team_reply(&questions[lane], &reply) == 0);
    }
}

static void fill_heap(void)
{
    pgas_ptr_t room;
    for (size_t nbytes = pgas_heap_size(); nbytes >= 64; nbytes /= 2)
        while (pgas_alloc(nbytes, &room) == PGAS_OK)
            continue;
}

static void try_failed_splits(void)
{
    enum {
        SPLITS = 256
    };
    pgas_team_t *freed;
    CHECK(pgas_team_split(PGAS_TEAM_ALL, 1, pgas_mythread(), &freed) == PGAS_OK);
    pgas_team_free(freed);
    fill_heap();
    for (int i = 0; i < SPLITS; i++) {
        pgas_team_t *team;
        CHECK(pgas_team_split(PGAS_TEAM_ALL, 1, pgas_mythread(), &team) == PGAS_ERR_NO_MEMORY);
    }
    CHECK(!pgas_team_has_me(freed));
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    /* More than what malloc keeps of a size without touching it: the test sets MALLOC_PERTURB_. */
    for (int i = 0; i < 12; i++)
        try_free();
    try_failed_splits();
    pgas_finalize();
    return 0;
}
