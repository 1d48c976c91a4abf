/**
 * Atomic operations, whose words and arguments have been checked, on whichever way.
 */
#ifndef PGASI_COPY_ATOMIC_H
#define PGASI_COPY_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#include <pgas/types.h>
#include <pgas/word.h>

#include "copy/group.h"
#include "net/net.h"

/** Applies an operation that is counted, and waits for it; returns the old value. `by_network`: on
 *  a word of another node, by the network itself where that can reach it. */
uint64_t pgasi_atomic_apply(const char *call, pgas_ptr_t at, const pgasi_net_atomic_t *atomic,
                            pgas_order_t order, bool by_network);

/** Counts an operation and starts it in a group. Ends the job if `old` is NULL where only the old
 *  value matters. */
void pgasi_atomic_start(pgasi_group_t *group, const char *call, pgas_ptr_t at,
                        const pgasi_net_atomic_t *atomic, pgas_order_t order, bool by_network,
                        void *old);

#endif
