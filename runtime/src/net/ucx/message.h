/**
 * One-way messages and puts with an event: pgasi_net_send and pgasi_net_put_event (net.h). They
 * leave by the background worker.
 */
#ifndef PGASI_NET_UCX_MESSAGE_H
#define PGASI_NET_UCX_MESSAGE_H

/** Frees the messages' descriptors. */
void pgasi_ucx_message_finalize(void);

#endif
