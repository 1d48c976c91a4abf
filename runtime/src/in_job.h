/**
 * Whether the program has joined the job: what most public calls need.
 */
#ifndef PGASI_IN_JOB_H
#define PGASI_IN_JOB_H

#include <stdbool.h>

#include <pgas/types.h>

/** True between pgas_init and pgas_finalize. */
extern bool pgasi_is_in_job;

/** Ends the program for a call outside of that. */
PGAS_NORETURN void pgasi_outside_job(const char *call) __attribute__((cold));

/** Ends the program unless it is in the job. For calls that communicate or take a lock, beside
 *  which this does not show; a copy has its check where its arguments are found to be wrong, as all
 *  are outside the job (pgasi_check_shared). */
static inline void pgasi_require_job(const char *call)
{
    if (__builtin_expect(!pgasi_is_in_job, 0))
        pgasi_outside_job(call);
}

#endif
