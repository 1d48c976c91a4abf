/*
 * A split, or a team from lists, for which one member has no private memory, whichever of its
 * allocations fails: all members get that status, nothing is left in the heap, and the next call
 * works. On one node: a thread without memory for a message ends the job.
 */
#include <pgas/pgas.h>
#include <stddef.h>
#include <stdlib.h>

#include "check.h"

/* The k-th allocation from now on fails in this OS thread; 0: none does. */
static _Thread_local int countdown;
static _Thread_local bool has_failed;

static bool fails(void)
{
    if (countdown == 0 || --countdown > 0)
        return false;
    has_failed = true;
    return true;
}

/* The linker's names: the runtime's calls come here. */
void *__real_malloc(size_t nbytes); /* NOLINT(*-reserved-identifier,*-dcl37-c) */
void *__real_calloc(size_t count, size_t nbytes); /* NOLINT(*-reserved-identifier,*-dcl37-c) */
void *__wrap_malloc(size_t nbytes); /* NOLINT(*-reserved-identifier,*-dcl37-c) */
void *__wrap_calloc(size_t count, size_t nbytes); /* NOLINT(*-reserved-identifier,*-dcl37-c) */

void *__wrap_malloc(size_t nbytes) /* NOLINT(*-reserved-identifier,*-dcl37-c) */
{
    return fails() ? NULL : __real_malloc(nbytes);
}

void *__wrap_calloc(size_t count, size_t nbytes) /* NOLINT(*-reserved-identifier,*-dcl37-c) */
{
    return fails() ? NULL : __real_calloc(count, nbytes);
}

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
    has_failed = false;
    countdown = pgas_mythread() == chosen ? which : 0;
    pgas_status_t status = make_team(from_list, &team);
    countdown = 0;
    bool any = pgas_allreduce_int32(PGAS_TEAM_ALL, has_failed, PGAS_MAX) != 0;
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
