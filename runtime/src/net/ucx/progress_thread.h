/**
 * The progress thread: progresses the target and the background worker while the main thread does
 * not.
 *
 * It gives way when the main thread holds the progress lock, or wants it: it parks, and comes back
 * when the main thread has not progressed for a while, or goes to sleep on an event and hands over.
 * A main thread that waits for the network goes on progressing in its sleep. PGAS_PROGRESS=poll
 * does without a progress thread; then the functions below do nothing.
 */
#ifndef PGASI_NET_UCX_PROGRESS_THREAD_H
#define PGASI_NET_UCX_PROGRESS_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>

#include <pgas/types.h>

/** What the main thread tells the progress thread. */
typedef struct pgasi_ucx_main_state {
    /** How many attached threads sleep, or run what has come to them in a sleep. If all do, their
     *  cores are free. */
    atomic_uint asleep;
    /** It progresses in its sleep, and hands over when it stops. */
    atomic_bool is_asleep_progressing;
    /** Times it has given the progress lock back. */
    atomic_uint unlocks;
} pgasi_ucx_main_state_t;

extern pgasi_ucx_main_state_t pgasi_ucx_main_state;

/** How often the thread has slept as long as it may and then found something that nobody had woken
 *  it for. Seldom more than 0: UCX before 1.14 may miss a wake-up. For tests, which need no clock
 *  then. */
extern atomic_uint pgasi_ucx_progress_thread_overslept;

/** Starts the thread, unless PGAS_PROGRESS says not to. From the main thread; logs failures. */
pgas_status_t pgasi_ucx_progress_thread_start(void);

/** Ends the thread. */
void pgasi_ucx_progress_thread_stop(void);

/** Whether the calling OS thread is it. */
bool pgasi_ucx_progress_thread_is_mine(void);

/** Makes the thread come back at once if it is parked. */
void pgasi_ucx_progress_thread_hand_over(void);

/** Makes the thread come back at once, parked or asleep: something is deferred. */
void pgasi_ucx_progress_thread_alert(void);

/** Wakes the thread if it sleeps without hearing of the background worker, which has got something
 *  to do; if the target worker `is_sending`, whatever it hears of: what waits there for room makes
 *  no descriptor ready. One that is parked comes back by itself. */
void pgasi_ucx_progress_thread_wake(bool is_sending);

#endif
