/**
 * Running collectives: what all do, and those that run to their end at once. coll/flight.h has the
 * others.
 */
#ifndef PGASI_COLL_RUN_H
#define PGASI_COLL_RUN_H

#include "coll/types.h"
#include "team/rooted.h"

/** Begins a collective of which `name`, `is_blocking` and `call` are set: finds its lane. The
 * caller then checks and writes what the steps use. Ends the job as pgasi_team_begin does. */
void pgasi_coll_begin(pgasi_coll_t *coll, pgas_team_t *team, pgasi_step_function_t *step);

/** Adds something to the collective that the caller begins next, whose form and other members' are
 *  with or without waiting: what is to meet must be the same on all members. */
void pgasi_coll_add(const pgasi_coll_extra_t *extra);

/** What was added for the operation that runs. */
extern const void *pgasi_coll_context;

/** Runs it to its end. */
void pgasi_coll_run(pgasi_coll_t *coll);

/** For those in flight, which take their steps themselves. When all that the call says is known,
 *  before the first step. */
void pgasi_coll_prepare(pgasi_coll_t *coll);

/** Takes a step, with what was added; returns what the next one waits for. */
pgasi_next_t pgasi_coll_take(pgasi_coll_t *coll);

/** Whether a rooted one goes from its root, or to it. */
pgasi_rooted_t pgasi_coll_direction(const pgasi_coll_t *coll);

#endif
