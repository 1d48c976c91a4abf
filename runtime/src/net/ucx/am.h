/**
 * Active messages between nodes: requests and replies are one-way messages (outgoing.h), which
 * arrive whatever their sender does.
 */
#ifndef PGASI_NET_UCX_AM_H
#define PGASI_NET_UCX_AM_H

#include <ucp/api/ucp.h>

/** Makes the target worker accept them. */
ucs_status_t pgasi_ucx_am_start(void);

#endif
