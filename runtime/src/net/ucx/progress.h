/**
 * Progress and waiting in the main thread, and work for the background worker.
 */
#ifndef PGASI_NET_UCX_PROGRESS_H
#define PGASI_NET_UCX_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include <pgas/types.h>

#include "node/watchdog.h"

/** Starts progress, in the main thread and in a progress thread; logs failures. */
pgas_status_t pgasi_ucx_progress_start(void);

/** Ends the progress thread. */
void pgasi_ucx_progress_stop(void);

/**
 * Calls `post` with a copy of the `size` bytes at `what` in the progressing thread: in the calling
 * one, before this returns, if it is or can become that; else soon, in the order of the calls.
 * `post` sends through the background worker. From any thread.
 */
void pgasi_ucx_background_post(void (*post)(const void *what), const void *what, size_t size);

/** Calls `post` in the calling thread, if that is the progressing one or can become it at once;
 * false if not, or if `post` says so. From any thread. */
bool pgasi_ucx_background_try(bool (*post)(const void *what), const void *what);

/** Posts what is deferred, if the calling thread has the progress lock or can take it; who has it
 *  posts it else. From any thread. */
void pgasi_ucx_background_kick(void);

/** Waits until `is_done(argument)`; progresses everything meanwhile. `milliseconds` 0: no limit.
 *  False if the limit has passed. `describe` as for pgasi_watch. */
bool pgasi_ucx_wait(bool (*is_done)(const void *argument), const void *argument,
                    unsigned milliseconds, pgasi_describe_t *describe);

#endif
