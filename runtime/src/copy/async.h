/**
 * Starting copies: what blocking, explicit and implicit forms of every copy have in common.
 *
 * A copy is a list of moves, each of which is a memcpy, or a handle of the network that is added to
 * a group. How the group is then completed makes the difference between the forms.
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

/** The group for the copy that starts now, empty. Complete it by one of the three below. */
pgasi_group_t *pgasi_start(void);

/** Blocking: waits. */
void pgasi_complete(pgasi_group_t *group);

/** Explicit: a handle for all of it. Called by the function that gives it to the program, by whose
 *  name the debug build knows it. */
pgas_handle_t pgasi_complete_later(pgasi_group_t *group);
#ifdef PGAS_DEBUG
#define pgasi_complete_later(group) pgasi_handle_issue(__func__, pgasi_complete_later(group))
#endif

/** Implicit: the group that pgasi_waitsynci, or the end of the access region, completes. Moves may
 *  be added to it directly, in place of pgasi_start's. Called by the function that the program has
 *  called, by whose name the debug build knows it. */
pgasi_group_t *pgasi_implicit(void);
#ifdef PGAS_DEBUG
#define pgasi_implicit() (pgasi_implicit_begun(__func__), pgasi_implicit())
#endif

#endif
