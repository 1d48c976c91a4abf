/**
 * Signals at the target. One that has come before messages that it follows is held until those are
 * there.
 */
#ifndef PGASI_NET_UCX_TARGET_SIGNAL_H
#define PGASI_NET_UCX_TARGET_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "net/net.h"

/** Those held of one source, in the order of their numbers; NULL: none. */
typedef struct pgasi_ucx_held pgasi_ucx_held_t;

/** Whether the signal lies in the segment, and its operation exists. */
bool pgasi_ucx_signal_is_valid(const pgasi_net_signal_t *signal);

/** Changes the signal, after all that has been written to the segment. */
void pgasi_ucx_signal_apply(const pgasi_net_signal_t *signal);

/** Holds a signal that came with message `number`; false if there is no memory. */
bool pgasi_ucx_signal_hold(pgasi_ucx_held_t **held, uint64_t number,
                           const pgasi_net_signal_t *signal);

/** Applies those that came with messages up to number `done`. */
void pgasi_ucx_signal_apply_held(pgasi_ucx_held_t **held, uint64_t done);

/** Forgets all of them. */
void pgasi_ucx_signal_forget(pgasi_ucx_held_t **held);

#endif
