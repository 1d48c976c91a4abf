#include <pgas/team.h>

#include <string.h>

#include "base/turn.h"
#include "sync/wait.h"
#include "team/assemble.h"
#include "team/calls.h"
#include "team/meet.h"
#include "team/part.h"
#include "team/rooted.h"
#include "team/team.h"

/* For the watchdog. */
static void describe_leaving(char *text, size_t size)
{
    strncpy(text, "members of the node to leave a team that is freed", size - 1);
    text[size - 1] = '\0';
}

/* The part is freed when all members of the node have left its last barrier. */
static void wait_until_left(pgasi_team_part_t *part)
{
    uint32_t left = atomic_load(&part->left.value);
    while (left < part->locals) {
        pgasi_event_wait(&part->left, left, describe_leaving);
        left = atomic_load(&part->left.value);
    }
}

/* Before the call takes a lane: a lane that is busy would be waited for. */
static void require_idle(const pgas_team_t *team)
{
    /* Another thread that has completed one may not have left the team yet. */
    bool must_leave = pgasi_turn_take();
    size_t in_flight = team->in_flight;
    if (must_leave)
        pgasi_turn_leave();
    if (in_flight > 0)
        pgasi_fatal("pgas_team_free", "called while %zu collective%s in flight on the team",
                    in_flight, in_flight == 1 ? " is" : "s are");
}

void pgas_team_free(pgas_team_t *team)
{
    if (team == NULL)
        return;
    require_idle(team);
    pgasi_call_t call = {.call = PGASI_TEAM_FREE};
    pgasi_lane_t *lane = pgasi_team_begin_now(__func__, team, &call);
    lane->counted = pgasi_count_call(PGASI_TEAM_FREE, 0, "");
    if (team->kind != PGASI_KIND_SPLIT)
        pgasi_fatal(__func__, "a predefined team is not freed");
    pgasi_team_meet(lane, &call);
    pgasi_team_settle_lanes(team);
    if (pgasi_team_ends != NULL)
        pgasi_team_ends(team);
    pgasi_event_raise(&lane->part->left, 1);
    if (team->part_offset != 0)
        wait_until_left(lane->part);
    pgasi_team_unlink(team);
    pgasi_team_disband(team);
    pgasi_team_end();
}
