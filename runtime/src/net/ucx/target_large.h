/**
 * Large puts and copies at the target.
 *
 * A copy makes the source's thread put to a third one, by its background worker; the third thread
 * tells the initiator when the bytes are there.
 */
#ifndef PGASI_NET_UCX_TARGET_LARGE_H
#define PGASI_NET_UCX_TARGET_LARGE_H

#include <ucs/type/status.h>

/** Makes the target worker accept large puts and copies. */
ucs_status_t pgasi_ucx_target_large_start(void);

void pgasi_ucx_target_large_finalize(void);

#endif
