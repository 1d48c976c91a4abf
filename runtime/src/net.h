/**
 * The network: put and get between nodes. One of net_*.c is built.
 */
#ifndef PGASI_NET_H
#define PGASI_NET_H

#include <stddef.h>

#include <pgas/types.h>

/** Copies from another node's segment; complete when it returns. */
void pgasi_net_get(void *dst, pgas_ptr_t src, size_t nbytes);

/** Copies to another node's segment; visible there when it returns. */
void pgasi_net_put(pgas_ptr_t dst, const void *src, size_t nbytes);

#endif
