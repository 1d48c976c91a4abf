/**
 * What the serving worker does for others.
 */
#ifndef PGASI_NET_UCX_TARGET_H
#define PGASI_NET_UCX_TARGET_H

#include <stdbool.h>

#include <ucp/api/ucp.h>

#include "net/ucx/arrivals.h"

/** The numbered messages that have come from a thread, and the way back to it. */
typedef struct pgasi_ucx_source {
    pgasi_arrivals_t arrivals;
    ucp_ep_h reply_to;
} pgasi_ucx_source_t;

/** By thread. Only who progresses the serving worker touches them. */
extern pgasi_ucx_source_t *pgasi_ucx_sources;

/** Prepares serving; false without memory. */
bool pgasi_ucx_target_init(void);

/** Makes the serving worker accept requests. */
ucs_status_t pgasi_ucx_target_start(void);

void pgasi_ucx_target_finalize(void);

#endif
