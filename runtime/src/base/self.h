/**
 * Who the calling process is in the job (pgasi_job, pgas/detail.h), and whether it has joined it,
 * which most public calls need.
 */
#ifndef PGASI_BASE_SELF_H
#define PGASI_BASE_SELF_H

#include <stdbool.h>

#include <pgas/detail.h>
#include <pgas/types.h>

/** True between pgas_init and pgas_finalize, and after pgas_finalize. job/init.c sets them. */
extern bool pgasi_is_in_job;
extern bool pgasi_has_left_job;

/** The only peer before pgas_init: a thread that owns nothing. Nobody's memory is mapped, so that
 *  accesses to values take the way of those to other nodes, where it is looked at why; so it is
 *  after pgas_finalize. */
extern pgasi_peer_t pgasi_nobody;

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
