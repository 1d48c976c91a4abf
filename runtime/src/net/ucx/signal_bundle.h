/**
 * Small puts with signals that travel together (bundle.h).
 *
 * A lone signal does not wait for company: a thread that sends to one target row after row has the
 * third and all that follow in bundles, until it progresses the network or signals to another one.
 * The progress thread is woken when a bundle is opened, so that signals arrive though their sender
 * computes. Without a progress thread, and where a message takes no system call, all go alone. In
 * which order they arrive does not matter, since they are numbered.
 */
#ifndef PGASI_NET_UCX_SIGNAL_BUNDLE_H
#define PGASI_NET_UCX_SIGNAL_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/ucx/wire.h"

/** Allocates what the bundles need; false if there is no memory. And frees it. */
bool pgasi_ucx_signal_bundle_init(void);
void pgasi_ucx_signal_bundle_finalize(void);

/** Whether the calling thread's next signal to `thread`, with a put of `nbytes` bytes, is to travel
 *  in a bundle. Before it takes its number. */
bool pgasi_ucx_signal_bundle_wants(uint32_t thread, size_t nbytes);

/** Adds it. Of its header secret, number, source, agent, offset and signal are read; `under_way`
 *  counts bundles as those of outgoing.h. */
void pgasi_ucx_signal_bundle_add(uint32_t thread, const pgasi_ucx_put_signal_t *put,
                                 const void *src, size_t nbytes, _Atomic uint32_t *under_way);

/** Reads the next put of a bundle, whose bytes `*payload` points to, moves `*data` behind it and
 *  subtracts its size from `*left`; false if there is no whole one. */
bool pgasi_ucx_signal_bundle_next(const char **data, size_t *left, pgasi_ucx_signal_item_t *item,
                                  const char **payload);

#endif
