/**
 * The initiators of agents (initiator.h) come and go.
 */
#ifndef PGASI_NET_UCX_ATTACH_H
#define PGASI_NET_UCX_ATTACH_H

#include <ucp/api/ucp.h>

#include <pgas/types.h>

/** Makes the initiator of the main thread, the calling one. Its worker accepts nothing yet. */
pgas_status_t pgasi_ucx_attach_main(void);

/** Makes the worker of the calling agent accept replies. */
ucs_status_t pgasi_ucx_attach_accept(void);

/** Destroys the workers of all initiators. */
void pgasi_ucx_attach_stop(void);

/** Frees the initiators, when all workers are destroyed. */
void pgasi_ucx_attach_finalize(void);

#endif
