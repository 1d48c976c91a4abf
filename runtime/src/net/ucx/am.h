/**
 * Active messages between nodes. They leave by the background worker, so that they arrive whatever
 * the sender does, and come in at the target worker.
 */
#ifndef PGASI_NET_UCX_AM_H
#define PGASI_NET_UCX_AM_H

#include <ucs/type/status.h>

/** Makes the target worker accept them. */
ucs_status_t pgasi_ucx_am_start(void);

#endif
