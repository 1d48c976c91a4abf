/*
 * A split, or a team from lists, for which one member has no private memory, whichever of its
 * allocations fails: all members get that status, nothing is left in the heap, and the next call
 * works. On one node: a thread without memory for a message ends the job.
 */
#include <pgas/pgas.h>

#include "check.h"
#include "no_memory.h"

/* Pairs of neighbours; the last may be alone. */
static pgas_status_t make_team(bool from_list, pgas_team_t **team)
{
    int first = pgas_mythread() / 2 * 2;
    int ranks[] = {first, first + 1};
    if (from_list)
        return pgas_team_create(PGAS_TEAM_ALL, ranks, first + 1 < pgas_threads() ? 2 : 1, team);
    return pgas_team_split(PGAS_TEAM_ALL, first, 0, team);
}

/* Returns whether the member `chosen` has come to its allocation `which`. */
static bool fail_once(bool from_list, int chosen, int which)
{
    pgas_team_t *const none = PGAS_TEAM_NODE;
    pgas_team_t *team = none;
    size_t used = pgas_heap_used();
    no_memory_for(pgas_mythread() == chosen ? which : 0);
    pgas_status_t status = make_team(from_list, &team);
    bool failed = no_memory_has_failed();
    bool any = pgas_allreduce_int32(PGAS_TEAM_ALL, failed, PGAS_MAX) != 0;
    CHECK(status == (any ? PGAS_ERR_NO_MEMORY : PGAS_OK));
    CHECK(any == (team == none));
    if (!any) {
        pgas_team_barrier(team);
        pgas_team_free(team);
    }
    CHECK(pgas_heap_used() == used);
    return any;
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    pgas_team_t *team;
    CHECK(make_team(true, &team) == PGAS_OK); /* what the parent keeps from its first on */
    pgas_team_free(team);
    for (int from_list = 0; from_list < 2; from_list++)
        for (int chosen = 0; chosen < pgas_threads(); chosen++) {
            int which = 1;
            while (fail_once(from_list, chosen, which))
                which++;
            CHECK(which > 3);
        }
    pgas_finalize();
    return 0;
}
