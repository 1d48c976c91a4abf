/**
 * Running collectives: to their end at once, or in the background.
 *
 * Those in flight on a lane run one after the other, in the order in which they were started. So a
 * start never waits for another member: what cannot run yet is a copy of its arguments in a queue.
 */
#ifndef PGASI_COLL_RUN_H
#define PGASI_COLL_RUN_H

#include <pgas/async.h>

#include "coll/types.h"
#include "copy/async.h"

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

/** Starts it; returns its handle, which may be the complete one. `*coll` is copied. */
pgas_handle_t pgasi_coll_start(const pgasi_coll_t *coll);

/** Waits for one in flight. */
void pgasi_coll_wait(pgas_handle_t handle);

/** Waits for all that the calling agent has in flight. */
void pgasi_coll_wait_all(void);

/**
 * Defines two forms of a collective: NAME_async, whose handle completes it, and NAME_asynci, which
 * pgas_waitsynci or the access region's handle completes. `params` is their list of parameters,
 * `begin` an expression that begins `coll`.
 */
#define PGASI_COLL_ASYNC_FORMS(function, params, begin) \
    pgas_handle_t function##_async params \
    { \
        pgasi_coll_t coll; \
        coll.name = __func__; \
        coll.is_blocking = false; \
        begin; \
        return pgasi_handle_issue(__func__, pgasi_coll_start(&coll)); \
    } \
    void function##_asynci params \
    { \
        pgasi_coll_t coll; \
        coll.name = __func__; \
        coll.is_blocking = false; \
        begin; \
        pgasi_group_append(pgasi_implicit_group(__func__), pgasi_coll_start(&coll)); \
    }

/** The same with the blocking form, NAME. */
#define PGASI_COLL_FORMS(function, params, begin) \
    void function params \
    { \
        pgasi_coll_t coll; \
        coll.name = __func__; \
        coll.is_blocking = true; \
        begin; \
        pgasi_coll_run(&coll); \
    } \
    PGASI_COLL_ASYNC_FORMS(function, params, begin)

#endif
