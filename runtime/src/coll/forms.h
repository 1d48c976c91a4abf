/**
 * The forms of a collective that users call: blocking, with a handle, and without one.
 */
#ifndef PGASI_COLL_FORMS_H
#define PGASI_COLL_FORMS_H

#include <pgas/async.h>

#include "coll/flight.h"
#include "coll/run.h"
#include "copy/async.h"

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
