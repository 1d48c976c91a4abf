/**
 * Credit: bounds what the initiator worker has under way, so that messages take no more than some
 * megabytes here and at the targets, however many operations are begun. All is the main thread's.
 */
#ifndef PGASI_NET_UCX_CREDIT_H
#define PGASI_NET_UCX_CREDIT_H

#include <stdint.h>

#include "net/ucx/pool.h"

/** Descriptors of requests that travel alone, and of aggregation buffers (PGASI_UCX_EAGER_MAX
 *  bytes). Those that UCX is still sending count against the credit. */
extern pgasi_ucx_pool_t pgasi_ucx_requests;
extern pgasi_ucx_pool_t pgasi_ucx_buffers;

/** Requests for gets without a reply so far: they count against the credit, too. */
extern _Atomic uint32_t pgasi_ucx_gets_under_way;

/** Waits for credit. To be called before anything is begun. */
void pgasi_ucx_credit_wait(void);

/** Frees the pools. */
void pgasi_ucx_credit_finalize(void);

#endif
