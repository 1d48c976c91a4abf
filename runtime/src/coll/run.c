#include "coll/run.h"

#include "coll/library.h"
#include "sync/background.h"
#include "team/calls.h"
#include "team/carry.h"
#include "team/meet.h"

_Static_assert(PGASI_COLL_ALGORITHM_COUNT <= (int)PGASI_COUNTED_ALGORITHMS, "each has counts");

/* Of the blocking ones, of which there is one at a time. */
static pgasi_coll_memory_t memory_now;

const void *pgasi_coll_context;

/* Of the next one. */
static pgasi_coll_extra_t added;

void pgasi_coll_add(const pgasi_coll_extra_t *extra)
{
    added = *extra;
}

/* Members that add different meetings are in different calls. */
static uint32_t sign_extra(uint32_t signature, const pgasi_coll_extra_t *extra)
{
    uint32_t meetings = (extra->meets_first ? 1U : 0U) | (extra->meets_last ? 2U : 0U);
    return signature ^ meetings << 29;
}

void pgasi_coll_begin(pgasi_coll_t *coll, pgas_team_t *team, pgasi_step_function_t *step)
{
    coll->extra = added;
    added = (pgasi_coll_extra_t){.context = NULL};
    coll->lane = coll->is_blocking ? pgasi_team_begin_now(coll->name, team, &coll->call)
                                   : pgasi_team_begin(coll->name, team, &coll->call);
    coll->call.signature = sign_extra(coll->call.signature, &coll->extra);
    coll->step = step;
    coll->algorithm = PGASI_ALGORITHM_LINEAR;
    coll->runs_program = false;
    coll->shown = NULL;
}

/* ---- Steps, with what was added ---- */

static pgasi_next_t copy_own(pgasi_coll_t *coll)
{
    const pgasi_coll_extra_t *extra = &coll->extra;
    if (extra->copy_bytes > 0)
        pgasi_copy(extra->copy_dst, extra->copy_src, extra->copy_bytes);
    coll->step = coll->data_step;
    return coll->step(coll);
}

static pgasi_next_t meet_first(pgasi_coll_t *coll)
{
    coll->step = copy_own;
    return PGASI_NEXT_MEET;
}

void pgasi_coll_prepare(pgasi_coll_t *coll)
{
    coll->data_step = coll->step;
    if (coll->extra.meets_first)
        coll->step = meet_first;
    else if (coll->extra.copy_bytes > 0)
        coll->step = copy_own;
}

/* The program's operation may poll. No other step begins then: that of another collective would
 * leave its context behind, and the step that runs would be taken again where no turn (base/turn.h)
 * forbids it. */
static pgasi_next_t step_of_program(pgasi_coll_t *coll)
{
    bool was_held = pgasi_background_hold();
    pgasi_coll_context = coll->extra.context;
    pgasi_next_t next = coll->step(coll);
    pgasi_background_release(was_held);
    return next;
}

/* A meeting at the end is one that all come to when they have what they get. */
pgasi_next_t pgasi_coll_take(pgasi_coll_t *coll)
{
    pgasi_next_t next = coll->runs_program ? step_of_program(coll) : coll->step(coll);
    if (next == PGASI_NEXT_END && coll->extra.meets_last)
        next = PGASI_NEXT_LAST_MEETING;
    if (next == PGASI_NEXT_LAST_MEETING)
        pgasi_carry_nothing(coll->lane);
    return next;
}

pgasi_rooted_t pgasi_coll_direction(const pgasi_coll_t *coll)
{
    return pgasi_coll_pattern(coll->kind) == PGASI_CARRY_FROM_ROOT ? PGASI_ROOTED_FROM
                                                                   : PGASI_ROOTED_TO;
}

void pgasi_coll_run(pgasi_coll_t *coll)
{
    pgasi_next_t next = PGASI_NEXT_MEET;
    pgasi_coll_prepare(coll);
    coll->memory = &memory_now;
    coll->lane->call = coll->call.call;
    coll->lane->counted = pgasi_coll_count(coll->call.call, coll->algorithm);
    while (next != PGASI_NEXT_LAST_MEETING && next != PGASI_NEXT_END) {
        next = pgasi_coll_take(coll);
        if (next == PGASI_NEXT_READ)
            pgasi_group_wait(&memory_now.group);
        else if (next == PGASI_NEXT_LIBRARY)
            pgasi_library_wait(coll);
        else if (next == PGASI_NEXT_MEET_ROOT)
            pgasi_team_meet_root(coll->lane, &coll->call, coll->root, pgasi_coll_direction(coll));
        else if (next != PGASI_NEXT_END)
            pgasi_team_meet(coll->lane, &coll->call);
    }
    pgasi_stage_end(coll->lane);
    pgasi_team_end();
}
