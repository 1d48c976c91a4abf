/**
 * What the parts of libfathom-gasnet share.
 *
 * The library is built three times, for GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR. Its functions
 * enter the runtime between gasneti_enter and gasneti_leave.
 */
#ifndef GASNETI_INTERNAL_H
#define GASNETI_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gasnet.h>

#include <pgas/types.h>

/* ---- The job ---- */

typedef enum gasneti_stage {
    GASNETI_STAGE_NEW,
    GASNETI_STAGE_INITIALISED,
    GASNETI_STAGE_ATTACHED,
    GASNETI_STAGE_EXITING
} gasneti_stage_t;

extern _Atomic gasneti_stage_t gasneti_stage;

/** Whether the client may communicate: from gasnet_attach on, and in handlers while the job ends.
 *  Another thread than the one that ends it does not return then. */
bool gasneti_is_attached(void);

/** Prints "PROGRAM: node N: CALL: text" and aborts. */
PGAS_NORETURN void gasneti_fatal(const char *call, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/** Has the runtime's lines name GASNet's calls, that of the last gasneti_place where several use
 * one of the runtime. In gasnet_init. */
void gasneti_errors_rename(void);

/** The runtime's lines name `call` from now on. */
void gasneti_errors_name(const char *call);

/** Ends the job unless there is a `list` where it has `count` entries, or something at `ptr`. */
void gasneti_require_list(const char *call, const void *list, size_t count);
void gasneti_require_private(const char *call, const void *ptr);

/** The place of `nbytes` (> 0) bytes at `addr` of a node. Ends the job unless the node exists and
 *  they lie in its segment, and in the debug build where copies are forbidden. */
pgas_ptr_t gasneti_place(const char *call, gasnet_node_t node, const void *addr, size_t nbytes);

/** The same, false instead of ending the job. */
bool gasneti_find_place(gasnet_node_t node, const void *addr, size_t nbytes, pgas_ptr_t *place);

#define GASNETI_MAX_LONG ((size_t)1 << 30)

/* ---- The environment (environment.c) ---- */

/** Makes node 0's environment known to all. Collective; in gasnet_init. */
void gasneti_environment_share(void);

/** Forgets node 0's value of a variable, so that the own one counts. */
void gasneti_environment_forget(const char *name);

/* ---- Ending (exit.c) ---- */

/** Before and after pgas_init. */
void gasneti_exit_prepare(void);
void gasneti_exit_connect(void);

/** True between a notify and its wait (barrier.c). */
bool gasneti_barrier_is_open(void);

/* ---- Collectives in flight (coll_flight.c) ---- */

/** Starts what may start of the calling thread's operations; in the runtime. */
void gasneti_coll_advance(void);

/** Whether any thread of this process has operations in flight. */
bool gasneti_coll_is_in_flight(void);

/** Completes the operations of the calling thread, which ends; outside the runtime. */
void gasneti_coll_release(void);

/* ---- Entering the runtime (enter.c) ---- */

/** Attaches the main thread; in gasnet_init. */
void gasneti_attach_main(void);

/**
 * The calling thread enters the runtime, however deep: handlers enter it again. A client thread
 * attaches when it enters first, and detaches when it ends. In PAR several are in the runtime at
 * once, in PARSYNC one at a time, to which the client sees. When another thread ends the job, enter
 * does not return; for that a wait leaves between its looks (gasneti_pause).
 * What the caller does before, within and behind stays in that order, as where a copy is inline.
 */
void gasneti_enter(void);
void gasneti_leave(void);

/** The same for the thread that ends the job, when all others have left; false if they do not
 *  within some milliseconds. */
bool gasneti_enter_within(unsigned milliseconds);

/** Whether another thread ends the job (exit.c). */
bool gasneti_is_ended_elsewhere(void);

/** True if the calling thread is in the runtime already: in a handler, or in a signal handler. */
bool gasneti_is_inside(void);

/** In a wait, outside the runtime: lets others have the processor if nothing has come for some
 *  time. `*rounds` starts at 0, and does so again when the calling thread has run handlers. */
void gasneti_pause(unsigned *rounds);

/** Whether the client has said that waits do not sleep. */
bool gasneti_wait_spins(void);

/* ---- Handles (handle.c) ---- */

/** What each client thread has of its own. */
#ifdef GASNET_SEQ
#define GASNETI_PER_CLIENT
#else
#define GASNETI_PER_CLIENT _Thread_local
#endif

/** Whether waits test and leave the runtime in between: another thread of PAR may end the job. */
bool gasneti_waits_by_testing(void);

/** Waits for one of Fathom's handles, as each mode must. */
void gasneti_wait_native(pgas_handle_t handle);

/** A handle for the operation, and for `memory`, freed with it, or NULL (held.h); in the runtime.
 */
gasnet_handle_t gasneti_handle_with(pgas_handle_t handle, void *memory);

/** A handle, not the invalid one, of what is complete; in the runtime. */
gasnet_handle_t gasneti_handle_without(void);

/** Before a put in flight that copies its source, outside the runtime: if the memory that this
 *  thread's operations hold has reached its bound, waits for them, and frees it. */
void gasneti_bound_memory(void);

/** Adds an implicit operation of the calling thread, or of its access region; in the runtime. */
void gasneti_implicit_add(bool is_get, pgas_handle_t handle, void *memory);

/** Waits for the operations of the calling thread, which ends, explicit ones too; in the runtime.
 */
void gasneti_implicit_release(void);

/** Memory from malloc. Ends the job if there is none. */
void *gasneti_allocate(const char *call, size_t nbytes);

#endif
