/**
 * The transports that UCX has on this host, and what each says of itself.
 */
#ifndef PGASI_NET_UCX_TRANSPORT_H
#define PGASI_NET_UCX_TRANSPORT_H

#include <stddef.h>

#include "net/ucx/rma_path.h"

#define PGASI_TRANSPORTS_MAX 64

/**
 * Asks UCT. `transports` takes PGASI_TRANSPORTS_MAX; returns how many there are, each name once.
 * Opens the transports that `tls` enables (as UCX_TLS), which UCX will open anyway; those that
 * cannot be opened are left out.
 */
size_t pgasi_transports_query(const char *tls, pgasi_transport_t *transports);

#endif
