/**
 * Signals that are held until the messages before them have arrived: a state machine without
 * network.
 *
 * Those behind a large message may come by the hundred thousand before it does, in ascending order
 * or nearly so. They are a heap: one more costs a step in ascending order, and never more than the
 * logarithm of their number.
 */
#ifndef PGASI_NET_UCX_HELD_H
#define PGASI_NET_UCX_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/net.h"

/** A signal and the number of the message that it came with. */
typedef struct pgasi_ucx_held_signal {
    uint64_t number;
    pgasi_net_signal_t signal;
} pgasi_ucx_held_signal_t;

/** Those of one source. Starts as zeros: none. */
typedef struct pgasi_ucx_held {
    /** Each has a lower number than its children, at twice its index + 1 and + 2. */
    pgasi_ucx_held_signal_t *heap;
    size_t count;
    size_t size;
} pgasi_ucx_held_t;

/** Holds a signal that came with message `number`, which no other one has; false if there is no
 *  memory. */
bool pgasi_ucx_held_add(pgasi_ucx_held_t *held, uint64_t number, const pgasi_net_signal_t *signal);

/** Takes out the signal with the lowest number if it came with one of the messages up to `done`;
 *  false if there is none. With the last one the memory is freed. */
bool pgasi_ucx_held_take(pgasi_ucx_held_t *held, uint64_t done, pgasi_net_signal_t *signal);

/** Forgets all of them. */
void pgasi_ucx_held_free(pgasi_ucx_held_t *held);

#endif
