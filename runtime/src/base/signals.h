/**
 * Signals of threads that the runtime, or a library for it, makes in the program: handlers of the
 * program's, and what it takes by sigwait, are for its own threads.
 */
#ifndef PGASI_BASE_SIGNALS_H
#define PGASI_BASE_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/** What such a thread blocks: all but what a thread raises itself by a write or a fault, which
 * would end the process without the handler if it were blocked. */
static inline void pgasi_signals_of_others(sigset_t *signals)
{
    static const int own[] = {SIGPIPE, SIGXFSZ, SIGSEGV, SIGBUS, SIGFPE,
                              SIGILL,  SIGABRT, SIGTRAP, SIGSYS};
    sigfillset(signals);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(signals, own[i]);
}

/** Blocks these in the calling OS thread, so that those that it makes block them. `before` receives
 *  what was blocked. */
static inline void pgasi_block_signals(sigset_t *before)
{
    sigset_t signals;
    pgasi_signals_of_others(&signals);
    pthread_sigmask(SIG_BLOCK, &signals, before);
}

static inline void pgasi_restore_signals(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

#endif
