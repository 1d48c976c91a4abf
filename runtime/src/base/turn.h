/**
 * The turn: the right to continue what the process has in flight beside its threads of execution,
 * the steps of collectives (coll/flight.c). Of the main thread, or another agent (base/agent.h),
 * and the progress thread one has it at a time, and with it all that those steps use. Where there
 * is no progress thread nobody needs it.
 */
#ifndef PGASI_BASE_TURN_H
#define PGASI_BASE_TURN_H

#include <stdbool.h>

#include <pgas/detail.h>

/** Whether there is a progress thread. Written before that starts. */
extern bool pgasi_turn_is_shared;

/** Of the functions below, where there is. */
bool pgasi_turn_try_shared(void);
bool pgasi_turn_take_shared(void);
void pgasi_turn_leave_shared(void);

/** Takes the turn if nobody has it; false: somebody has, perhaps the caller. */
static inline bool pgasi_turn_try(void)
{
    return !pgasi_turn_is_shared || pgasi_turn_try_shared();
}

/** Waits for the turn: for the end of the steps that another thread runs, which do not wait for
 *  this one. False if the caller has it already: it then does not leave it. */
static inline bool pgasi_turn_take(void)
{
    return pgasi_turn_is_shared && pgasi_turn_take_shared();
}

/** Gives it back. */
static inline void pgasi_turn_leave(void)
{
    if (pgasi_turn_is_shared)
        pgasi_turn_leave_shared();
}

#endif
