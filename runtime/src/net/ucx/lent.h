/**
 * Private memory that is lent to other nodes for a while (pgasi_net_lend), at the target.
 */
#ifndef PGASI_NET_UCX_LENT_H
#define PGASI_NET_UCX_LENT_H

#include <stdint.h>

/** The address of `nbytes` bytes from an offset that is lent; NULL if they are not. For the
 *  progressing thread too. */
const char *pgasi_ucx_lent_find(uint64_t offset, uint64_t nbytes);

#endif
