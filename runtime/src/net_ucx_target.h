/**
 * What the serving worker does for others.
 */
#ifndef PGASI_NET_UCX_TARGET_H
#define PGASI_NET_UCX_TARGET_H

#include <stdbool.h>

#include <ucp/api/ucp.h>

#include <pgas/types.h>

#include "arrivals.h"

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

/** Sends a message through the background worker, which the caller drives. */
void pgasi_ucx_send(uint32_t thread, unsigned service, const void *message, size_t nbytes);

/** The same for a put with a signal. */
void pgasi_ucx_send_signal(pgas_ptr_t dst, const void *src, size_t nbytes, uint64_t event);

#endif
