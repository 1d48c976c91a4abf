/**
 * The target side: what the target worker does for other threads.
 */
#ifndef PGASI_NET_UCX_TARGET_H
#define PGASI_NET_UCX_TARGET_H

#include <stdbool.h>

#include <ucs/type/status.h>

/** Allocates tables; false if there is no memory. */
bool pgasi_ucx_target_init(void);

/** Makes the target worker accept requests. */
ucs_status_t pgasi_ucx_target_start(void);

void pgasi_ucx_target_finalize(void);

#endif
