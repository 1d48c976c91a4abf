/**
 * The workers of the UCX network, and who progresses them.
 *
 *   net_ucx.c            operations as net.h promises them
 *   net_ucx_wire.h       messages and their headers
 *   net_ucx_post.c       messages on their way
 *   net_ucx_connect.c    context, workers, addresses, endpoints, lost connections
 *   net_ucx_operation.c  operations with a completion of their own
 *   net_ucx_numbered.c   puts that are numbered, and acknowledged in rows
 *   net_ucx_aggregate.c  small transfers that travel together
 *   net_ucx_large.c      large transfers, and those between two other threads
 *   net_ucx_target.c     what the serving worker does for others
 *   net_ucx_progress.c   who progresses the workers, the progress thread, waiting
 *   net_ucx_files.c      the limit of open files
 *   net_ucx_log.c        what UCX itself has to say
 *
 * Three UCX workers per thread. The initiating worker is the main thread's alone: requests leave
 * through it and replies come back to it. The serving worker receives requests and messages. The
 * background worker, made on first use, sends what must get on whatever the main thread does:
 * one-way messages, large transfers, and puts on behalf of others. These two have one driver at a
 * time, the main thread while it waits, else the progress thread.
 *
 * Nobody connects to an initiating or a background worker, and a serving one connects to nobody:
 * two workers that connect to each other at the same time are more than UCX 1.13 copes with over
 * TCP.
 */
#ifndef PGASI_NET_UCX_UCX_H
#define PGASI_NET_UCX_UCX_H

#include <stdbool.h>
#include <stdint.h>

#include <ucp/api/ucp.h>

#include "net/net.h"
#include "node/watchdog.h"

extern ucp_context_h pgasi_ucx_context;
extern ucp_worker_h pgasi_ucx_initiator;
extern ucp_worker_h pgasi_ucx_target;
/** NULL until something is sent through it. */
extern ucp_worker_h pgasi_ucx_background;

/** What the initiating worker has to do: replies that are awaited, messages that are not sent yet.
 *  While it is 0 nobody need look at that worker. The main thread's. */
extern uint32_t pgasi_ucx_awaited;

/** The same of the background worker: operations that have been posted and are not done, messages
 *  that are not sent yet. Its driver's. */
extern uint32_t pgasi_ucx_background_awaited;

/* net_ucx_connect.c */

/** Unknown thread, for pgasi_ucx_lost. */
#define PGASI_UCX_NOBODY UINT32_MAX

/** An endpoint of the initiating worker to a thread's serving worker, made on first use. */
ucp_ep_h pgasi_ucx_endpoint(uint32_t thread);

/** The same of the background worker, for its driver. */
ucp_ep_h pgasi_ucx_background_endpoint(uint32_t thread);

/** Whether a lost connection is no failure any more. */
bool pgasi_ucx_end_is_expected(void);

/** Ends the job for a failure of the network, unless the end is expected. */
void pgasi_ucx_lost(uint32_t thread, const char *call, ucs_status_t status);

/* net_ucx_files.c */

/** Raises the limit of open files as far as it goes. */
void pgasi_ucx_files_raise(void);

/** Ends the job, with the number that is needed, if no file can be opened any more. Called where
 * UCX has failed, perhaps for that. */
void pgasi_ucx_files_check(void);

/* net_ucx_log.c */

/** Has UCX tell what it has to say as the runtime does, unless the user has set up its log
 *  (UCX_LOG_LEVEL, UCX_LOG_FILE). */
void pgasi_ucx_log_start(void);

/** Tells an error of UCX's that is `after` milliseconds old and not told yet. */
void pgasi_ucx_log_held(unsigned after);

/** How long a launcher may take to end a job of which a thread has died, in milliseconds. */
#define PGASI_UCX_GRACE_MS 2000

/* net_ucx_progress.c */

pgas_status_t pgasi_ucx_progress_start(void);
void pgasi_ucx_progress_stop(void);

/** From here on the calling thread does not call the network: it is inside UCX, and ends the job.
 */
void pgasi_ucx_stay_out(void);

/**
 * Has `post` called with a copy of the `size` bytes at `what` by the driver of the background
 * worker: by the calling thread, before this returns, if it is the driver or nobody is; else by
 * whoever is, soon. In the order of the calls. `post` sends through that worker.
 */
void pgasi_ucx_background_do(void (*post)(const void *what), const void *what, size_t size);

/** Waits until `is_done(argument)`; progresses everything meanwhile. `milliseconds` 0: no limit.
 *  False if the limit has passed. `describe` as for pgasi_event_wait. */
bool pgasi_ucx_wait(bool (*is_done)(const void *argument), const void *argument,
                    unsigned milliseconds, pgasi_describe_t *describe);

#endif
