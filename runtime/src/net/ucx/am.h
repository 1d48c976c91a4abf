/**
 * Active messages between nodes.
 *
 * Requests leave through the background worker, so that they arrive whatever the sender does, and
 * come in at the target worker. What replies to them, or returns their credits, goes back by the
 * same connection. On a TCP connection that carries messages one way only, the receiver
 * acknowledges them by packets of their own, which cost a short round trip a third of its time.
 */
#ifndef PGASI_NET_UCX_AM_H
#define PGASI_NET_UCX_AM_H

#include <stdbool.h>

#include <ucp/api/ucp.h>

/** Allocates the table of connections; false if there is no memory. And frees it. */
bool pgasi_ucx_am_init(void);
void pgasi_ucx_am_finalize(void);

/** Makes the target worker accept requests, and the background worker replies. */
ucs_status_t pgasi_ucx_am_start(void);
ucs_status_t pgasi_ucx_am_accept_in_background(ucp_worker_h background);

#endif
