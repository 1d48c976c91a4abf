/**
 * What a thread goes on with while it waits for something else: an upper folder's operations in
 * flight that only this thread can continue.
 *
 * Waits for what other threads of the program do (sync/wait.h), pgas_poll and pgas_fence progress
 * it; waits for the network alone do not, since those end without.
 */
#ifndef PGASI_SYNC_BACKGROUND_H
#define PGASI_SYNC_BACKGROUND_H

#include <stdbool.h>
#include <stddef.h>

/** How many operations of the calling agent (base/agent.h) are in flight, or more: those that the
 *  progress thread completes are counted until the agent's next wait or poll. Written by the folder
 *  that has them. */
extern _Thread_local size_t pgasi_background_count __attribute__((tls_model("initial-exec")));

/**
 * Installs who continues them: `progress` does what can be done now and returns how much that was;
 * if `before_sleep`, it waits for the network for some milliseconds at most where the calling
 * thread has something to fetch, and counts that. Before the first operation.
 */
void pgasi_background_install(unsigned (*progress)(bool before_sleep));

/** Whether an agent waits and continues them, so that the progress thread need not. */
bool pgasi_background_is_attended(void);

/** It begins, or ends, to wait. */
void pgasi_background_attend(bool yes);

/** Keeps them from being continued in whatever the calling thread calls, until it says so with what
 *  this returned. */
bool pgasi_background_hold(void);
void pgasi_background_release(bool was_held);

/** Continues them. Does nothing when called from inside, or while they are held, and in a thread
 * that may not communicate. */
unsigned pgasi_background_run(bool before_sleep);

static inline unsigned pgasi_background_progress(bool before_sleep)
{
    return pgasi_background_count > 0 ? pgasi_background_run(before_sleep) : 0;
}

#endif
