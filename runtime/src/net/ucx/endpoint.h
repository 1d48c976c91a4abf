/**
 * Addresses and endpoints: connections from a thread's initiator workers and its background worker
 * to the target workers of others, and between two target workers. An endpoint is created on first
 * use and lives as long as its worker.
 */
#ifndef PGASI_NET_UCX_ENDPOINT_H
#define PGASI_NET_UCX_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include <ucp/api/ucp.h>

#include <pgas/types.h>

/** Allocates the tables of endpoints. `reports_loss`: UCX is to tell of lost
 *  connections if it can. `prepare` is called for the background
 * worker when that has been created, which may be in the progress thread. False if there is no
 * memory. */
bool pgasi_ucx_endpoints_init(bool reports_loss, ucs_status_t (*prepare)(ucp_worker_h background));

/** Publishes the target worker's address; the next boot exchange makes it known. */
pgas_status_t pgasi_ucx_address_publish(void);

/** The endpoint of the calling agent's worker to a thread. */
ucp_ep_h pgasi_ucx_endpoint(uint32_t thread);

/** The background worker's endpoint to a thread. For the thread that progresses that worker. */
ucp_ep_h pgasi_ucx_background_endpoint(uint32_t thread);

/**
 * The target worker's endpoint to a thread's target worker; NULL if there is none yet. Of two
 * threads the one with the lower number connects, and the other one sends by that connection when
 * the first message has come. So no two target workers connect to each other at the same time, and
 * messages there and back share a connection. For the thread that progresses the target worker.
 */
ucp_ep_h pgasi_ucx_target_endpoint(uint32_t thread);

/** Notes that a message with a way back has come by a thread's target worker, or, in the thread
 * that connects, has left. */
void pgasi_ucx_target_has_connected(uint32_t thread);

/** Whether a message by the target worker has to have a way back (UCP_AM_SEND_FLAG_REPLY): it is
 * the first one by a connection that the calling thread has made. */
bool pgasi_ucx_target_tells_way(uint32_t thread);

/** Frees the tables, when the workers are destroyed. */
void pgasi_ucx_endpoints_finalize(void);

#endif
