/**
 * Ending the job from one thread.
 */
#ifndef PGASI_ENDING_H
#define PGASI_ENDING_H

#include <pgas/types.h>

/**
 * Asks the launcher to end the job with `status`; the caller has said why.
 *
 * A launcher that has lost the way to its own other half may never answer: this thread and the
 * others of its node then end without it, a few seconds later.
 */
PGAS_NORETURN void pgasi_end_job(int status);

#endif
