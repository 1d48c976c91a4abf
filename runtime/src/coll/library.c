#include "coll/library.h"

#include <sched.h>
#include <stdio.h>

#include <pgas/team.h>

#include "am/progress.h"
#include "base/relax.h"
#include "sync/background.h"
#include "team/team.h"

enum {
    SPINS = 1000
};

static const pgasi_library_t *installed;
/* For the watchdog, the call that waits. */
static const char *waiting;

static void team_made(pgas_team_t *team)
{
    team->library = installed->team_create(team);
}

static void team_ends(pgas_team_t *team)
{
    if (team->library != NULL)
        installed->team_free(team->library);
    team->library = NULL;
}

void pgasi_library_install(const pgasi_library_t *library)
{
    installed = library;
}

const char *pgasi_library_name(void)
{
    return installed != NULL ? installed->name : NULL;
}

/* The teams that are there from the beginning, in the same order in all threads. */
static void for_predefined(void (*function)(pgas_team_t *team))
{
    function(PGAS_TEAM_ALL);
    function(PGAS_TEAM_NODE);
    if (pgas_team_has_me(PGAS_TEAM_LEADERS))
        function(PGAS_TEAM_LEADERS);
}

void pgasi_library_start(void)
{
    if (installed == NULL)
        return;
    for_predefined(team_made);
    pgasi_team_made = team_made;
    pgasi_team_ends = team_ends;
}

void pgasi_library_finish(void)
{
    if (installed == NULL)
        return;
    pgasi_team_made = NULL;
    pgasi_team_ends = NULL;
    for_predefined(team_ends);
}

/* ---- Steps ---- */

static pgasi_next_t end(pgasi_coll_t *coll)
{
    (void)coll;
    return PGASI_NEXT_END;
}

static pgasi_library_call_t call_of(const pgasi_coll_t *coll, size_t nbytes)
{
    bool combines = coll->kind == PGASI_KIND_OF_REDUCE || coll->kind == PGASI_KIND_OF_ALLREDUCE;
    pgasi_library_call_t call = {
        .kind = coll->kind,
        .team = pgasi_coll_team(coll),
        .of_team = pgasi_coll_team(coll)->library,
        .number = coll->number,
        .nbytes = nbytes,
    };
    if (combines) {
        call.count = nbytes / coll->operation.size;
        call.type = coll->operation.type;
        call.op = coll->operation.op;
    }
    return call;
}

static pgasi_next_t start(pgasi_coll_t *coll)
{
    pgasi_library_call_t call = call_of(coll, coll->nbytes);
    bool has_root = coll->kind != PGASI_KIND_OF_ALLGATHER && coll->kind != PGASI_KIND_OF_ALLTOALL &&
                    coll->kind != PGASI_KIND_OF_ALLREDUCE;
    call.root = has_root ? coll->root : 0;
    call.src = coll->kind == PGASI_KIND_OF_BROADCAST ? coll->dst : coll->src;
    call.dst = coll->dst;
    coll->request = installed->start(&call);
    coll->step = end;
    return PGASI_NEXT_LIBRARY;
}

static pgasi_next_t meet(pgasi_coll_t *coll)
{
    coll->step = start;
    return PGASI_NEXT_MEET;
}

bool pgasi_library_take(pgasi_coll_t *coll, size_t nbytes)
{
    const pgas_team_t *team = pgasi_coll_team(coll);
    bool combines = coll->kind == PGASI_KIND_OF_REDUCE || coll->kind == PGASI_KIND_OF_ALLREDUCE;
    if (team->library == NULL || (combines && coll->operation.is_own))
        return false;
    coll->number = team->calls;
    const pgasi_library_call_t call = call_of(coll, nbytes);
    if (!installed->serves(&call))
        return false;
    coll->step = meet;
    return true;
}

bool pgasi_library_test(pgasi_coll_t *coll)
{
    if (coll->request != NULL && installed->test(coll->request))
        coll->request = NULL;
    return coll->request == NULL;
}

static void describe(char *text, size_t size)
{
    snprintf(text, size, "%s by the library %s", waiting, installed->name);
}

void pgasi_library_wait(pgasi_coll_t *coll)
{
    pgasi_watch_t watch = {0};
    waiting = coll->name;
    for (unsigned idle = 0; !pgasi_library_test(coll); idle++) {
        if (pgasi_background_progress(false) + pgasi_am_progress() > 0)
            idle = 0;
        if (idle < SPINS) {
            pgasi_relax();
        } else {
            sched_yield();
            if (idle % SPINS == 0)
                pgasi_watch(&watch, describe);
        }
    }
    pgasi_watch_end(&watch);
}
