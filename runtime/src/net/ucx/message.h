/**
 * What this thread sends without an answer: pgasi_net_send and pgasi_net_put_signal (net.h).
 */
#ifndef PGASI_NET_UCX_MESSAGE_H
#define PGASI_NET_UCX_MESSAGE_H

/** Frees what messages were kept in. */
void pgasi_ucx_message_finalize(void);

#endif
