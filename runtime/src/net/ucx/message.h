/**
 * One-way messages and puts with an event: pgasi_net_send and pgasi_net_put_event (net.h), which
 * leave whatever the caller does next (outgoing.h), and pgasi_net_send_direct, which leaves by the
 * agent's own worker.
 */
#ifndef PGASI_NET_UCX_MESSAGE_H
#define PGASI_NET_UCX_MESSAGE_H

#include "node/watchdog.h"

/** Waits until all that the calling agent has sent has left its worker, which takes no reply of a
 *  target, but perhaps that connections are there. */
void pgasi_ucx_drain(pgasi_describe_t *describe);

#endif
