/**
 * The check that a public call is made in the job, between pgas_init and pgas_finalize.
 */
#ifndef PGASI_BASE_IN_JOB_H
#define PGASI_BASE_IN_JOB_H

#include <pgas/types.h>

#include "base/self.h"

/** Ends the program for a call outside of the job. */
PGAS_NORETURN void pgasi_outside_job(const char *call) __attribute__((cold));

/** Ends the program unless it is in the job. For calls that communicate or take a lock, which cost
 *  far more than this. Copies check it only when they find their arguments wrong, as all are
 *  outside the job (pgasi_check_shared). */
static inline void pgasi_require_job(const char *call)
{
    if (__builtin_expect(!pgasi_is_in_job, 0))
        pgasi_outside_job(call);
}

#endif
