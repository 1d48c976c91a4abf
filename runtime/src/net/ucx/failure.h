/**
 * Failures of the network: they end the job, unless its end is expected.
 */
#ifndef PGASI_NET_UCX_FAILURE_H
#define PGASI_NET_UCX_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include <ucs/type/status.h>

#include <pgas/types.h>

/** Unknown thread, for pgasi_ucx_lost. */
#define PGASI_UCX_NOBODY UINT32_MAX

/** How long a launcher may take to end a job of which a thread has died, in milliseconds. */
#define PGASI_UCX_GRACE_MS 2000

/** Whether a lost connection is no failure any more (pgasi_net_expect_end). */
bool pgasi_ucx_end_is_expected(void);

/** Whether a request that ended with this status counts as done. One that UCX has cancelled does
 * not: its connection is lost, which ends the job soon, and until then nobody may use what has not
 * come. */
bool pgasi_ucx_is_done(ucs_status_t status);

/** Ends the job for a failure of `call` on the way to `thread`, unless the end is expected. */
void pgasi_ucx_lost(uint32_t thread, const char *call, ucs_status_t status);

/** Logs a call of the network's start that has failed: PGAS_ERR_NO_MEMORY if UCX lacks memory, else
 *  PGAS_ERR_SYSTEM. PGAS_OK for UCS_OK. */
pgas_status_t pgasi_ucx_check(const char *call, ucs_status_t status);

#endif
