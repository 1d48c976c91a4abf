/**
 * What UCX itself reports.
 */
#ifndef PGASI_NET_UCX_LOG_H
#define PGASI_NET_UCX_LOG_H

#include <stdbool.h>

/** Makes UCX report as the runtime does, unless the user has set up its log (UCX_LOG_LEVEL,
 *  UCX_LOG_FILE). Errors are held back: most are about a thread that has died, which the launcher
 *  reports better. In any case an error that the job cannot go on with, for want of memory or of
 *  descriptors, ends it; of such errors UCX tells nothing at UCX_LOG_LEVEL=fatal. */
void pgasi_ucx_log_start(void);

/** Reports what is held; from now on UCX, which the program may use itself, reports on its own. */
void pgasi_ucx_log_stop(void);

/** Errors of the calling OS thread are not reported while that is so: it tries something that may
 *  fail. */
void pgasi_ucx_log_mute(bool yes);

/** Reports the error that is held, if it is `age` milliseconds old. From any thread. */
void pgasi_ucx_log_flush(unsigned age);

#endif
