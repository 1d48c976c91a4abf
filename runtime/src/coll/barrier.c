#include <pgas/coll_async.h>

#include "base/in_job.h"
#include "coll/forms.h"
#include "sync/collective.h"
#include "team/calls.h"
#include "team/meet.h"
#include "team/rooted.h"

static pgasi_next_t end(pgasi_coll_t *coll)
{
    (void)coll;
    return PGASI_NEXT_END;
}

static pgasi_next_t meet(pgasi_coll_t *coll)
{
    coll->step = end;
    return PGASI_NEXT_MEET;
}

static void barrier(pgasi_coll_t *coll, pgas_team_t *team)
{
    coll->call = (pgasi_call_t){.call = PGASI_TEAM_BARRIER};
    pgasi_coll_begin(coll, team, meet);
    coll->algorithm = PGASI_ALGORITHM_DISSEMINATION;
}

PGASI_COLL_ASYNC_FORMS(pgas_team_barrier, (pgas_team_t * team), barrier(&coll, team))

/* What pgasi_coll_run would do. */
void pgas_team_barrier(pgas_team_t *team)
{
    pgasi_call_t call = {.call = PGASI_TEAM_BARRIER};
    pgasi_lane_t *lane = pgasi_team_begin_now(__func__, team, &call);
    lane->counted = pgasi_coll_count(PGASI_TEAM_BARRIER, PGASI_ALGORITHM_DISSEMINATION);
    pgasi_team_arrive(lane, &call);
    pgasi_team_barrier_end(lane);
    pgasi_stage_end(lane);
    pgasi_team_end();
}

/* The lane is kept until the wait; if it is busy, the notification is a barrier in flight. */
void pgas_team_notify(pgas_team_t *team)
{
    pgasi_coll_t coll;
    coll.name = __func__;
    coll.is_blocking = false;
    if (pgas_team_has_me(team) && team->notified != NULL)
        pgasi_fatal(__func__, "called twice without pgas_team_wait");
    barrier(&coll, team);
    team->notified_in_flight =
        pgasi_lane_has_flight(coll.lane) || !pgasi_team_try_settle(coll.lane);
    team->notified = coll.lane;
    pgasi_team_notified(1);
    if (team->notified_in_flight) {
        team->notified_flight = pgasi_coll_start(&coll).bits;
    } else {
        coll.lane->counted = pgasi_coll_count(PGASI_TEAM_BARRIER, PGASI_ALGORITHM_DISSEMINATION);
        pgasi_team_arrive(coll.lane, &coll.call);
        pgasi_team_end();
    }
}

void pgas_team_wait(pgas_team_t *team)
{
    pgasi_require_job(__func__);
    pgasi_alone_begin(__func__);
    pgasi_team_require(__func__, team);
    if (team->notified == NULL)
        pgasi_fatal(__func__, "called without pgas_team_notify");
    pgasi_team_require_agent(__func__);
    if (team->notified_in_flight) {
        pgasi_coll_wait((pgas_handle_t){team->notified_flight});
    } else {
        pgasi_team_barrier_end(team->notified);
        pgasi_stage_end(team->notified);
    }
    team->notified = NULL;
    pgasi_team_notified(-1);
    pgasi_alone_end();
}
