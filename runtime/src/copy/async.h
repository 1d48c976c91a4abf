/**
 * Starting copies: what the blocking, the explicit and the implicit form of a copy have in common.
 *
 * A copy is a list of moves. Each is a memcpy, or an operation of the network whose handle is added
 * to a group. The forms differ in how they complete the group.
 */
#ifndef PGASI_COPY_ASYNC_H
#define PGASI_COPY_ASYNC_H

#include "copy/group.h"
#include "copy/handle_check.h"
#include "copy/implicit_check.h"

/** Moves `nbytes` (> 0) from shared to private memory. */
void pgasi_start_get(pgasi_group_t *group, void *dst, pgas_ptr_t src, size_t nbytes);

/** Moves `nbytes` (> 0) from private to shared memory. */
void pgasi_start_put(pgasi_group_t *group, pgas_ptr_t dst, const void *src, size_t nbytes);

/** Moves `nbytes` (> 0) from shared to shared memory. */
void pgasi_start_copy(pgasi_group_t *group, pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes);

/** The group of a copy that starts now, empty: to be waited for (blocking), or made a handle
 *  (explicit), before the next one starts. */
pgasi_group_t *pgasi_empty_group(void);

/** A handle for all of a group, which is empty then. Called by the function that gives it to the
 *  program, by whose name the debug build knows it. */
static inline pgas_handle_t pgasi_group_issue(const char *call, pgasi_group_t *group)
{
    return pgasi_handle_issue(call, pgasi_group_to_handle(group));
}

/** The group of copies without a handle: pgas_waitsynci, or the end of the access region, completes
 *  it. `call` is the function that the program has called. */
pgasi_group_t *pgasi_implicit_group(const char *call);

/** Frees what the calling agent has (base/agent.h). */
void pgasi_async_detach(void);

/**
 * Defines the explicit and the implicit form of a copy: NAME_async and NAME_asynci. `params` is
 * their list of parameters, `start` an expression that starts the copy, in which `group` is what
 * to add it to and `__func__` the call's name.
 */
#define PGASI_ASYNC_FORMS(name, params, start) \
    pgas_handle_t name##_async params \
    { \
        pgasi_group_t *group = pgasi_empty_group(); \
        start; \
        return pgasi_group_issue(__func__, group); \
    } \
    void name##_asynci params \
    { \
        pgasi_group_t *group = pgasi_implicit_group(__func__); \
        start; \
    }

/** The same with the blocking form, NAME. */
#define PGASI_FORMS(name, params, start) \
    void name params \
    { \
        pgasi_group_t *group = pgasi_empty_group(); \
        start; \
        pgasi_group_wait(group); \
    } \
    PGASI_ASYNC_FORMS(name, params, start)

#endif
