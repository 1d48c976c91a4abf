/**
 * The check that a public call is made in the job, between pgas_init and pgas_finalize, and where
 * it may communicate.
 */
#ifndef PGASI_BASE_IN_JOB_H
#define PGASI_BASE_IN_JOB_H

#include <stdbool.h>

#include <pgas/types.h>

#include "base/self.h"

/** Whether the calling OS thread has no way to the network, whatever else restricts it. A handler
 *  has that of the thread that runs it. */
static inline bool pgasi_is_unattached(void)
{
    return !pgasi_self_is_attached() && pgasi_restriction != PGASI_IN_HANDLER;
}

/** Before pgas_init knows it: finds out which thread this is, for messages. */
void pgasi_guess_thread(void);

/** Ends the program for a call outside of the job, or against the restriction. */
PGAS_NORETURN void pgasi_outside_job(const char *call) __attribute__((cold));

/** Ends the program unless it is in the job, and may communicate. For calls that communicate or
 *  take a lock, which cost far more than this. Copies check it only when they find their arguments
 *  wrong, as all are outside the job (pgasi_check_shared). */
static inline void pgasi_require_job(const char *call)
{
    if (__builtin_expect(!pgasi_is_in_job || pgasi_restriction != PGASI_UNRESTRICTED, 0))
        pgasi_outside_job(call);
}

/** Ends the program in a child process of a thread of the job. For calls that work outside the job
 *  too, or complete what the job has in flight: a child that progressed the network would take the
 *  messages of its parent, whose connections it shares. */
static inline void pgasi_require_no_child(const char *call)
{
    if (__builtin_expect(pgasi_is_child, 0))
        pgasi_outside_job(call);
}

/** Ends the program as well in an operating-system thread of the job that is not attached, and so
 *  has no way to the network. For calls that work outside the job, too, and progress it. */
static inline void pgasi_require_way(const char *call)
{
    if (__builtin_expect(pgasi_is_in_job && pgasi_restriction != PGASI_UNRESTRICTED, 0) &&
        pgasi_is_unattached())
        pgasi_outside_job(call);
    pgasi_require_no_child(call);
}

#endif
