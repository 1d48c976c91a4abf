/**
 * Signals at the target. One that has come before messages that it follows is held until those are
 * there (held.h).
 */
#ifndef PGASI_NET_UCX_TARGET_SIGNAL_H
#define PGASI_NET_UCX_TARGET_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "net/net.h"
#include "net/ucx/held.h"

/** Whether the signal lies in the segment, and its operation exists. */
bool pgasi_ucx_signal_is_valid(const pgasi_net_signal_t *signal);

/** Changes the signal, after all that has been written to the segment. */
void pgasi_ucx_signal_apply(const pgasi_net_signal_t *signal);

/** Applies those held that came with messages up to number `done`, in their order. */
void pgasi_ucx_signal_apply_held(pgasi_ucx_held_t *held, uint64_t done);

#endif
