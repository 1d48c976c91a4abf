/**
 * Active messages that travel together (bundle.h): short ones, and those with few bytes.
 *
 * A lone message does not wait for company. Requests are bundled from the third one on that a
 * thread sends without progressing in between, or when it has just waited for credits, and the
 * progress thread is woken when such a bundle is opened; replies
 * where several handlers run one after the other, until the last of them has returned. Without a
 * progress thread only replies are bundled, and nothing is where a message takes no system call.
 */
#ifndef PGASI_NET_UCX_AM_BUNDLE_H
#define PGASI_NET_UCX_AM_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/net.h"

/** Allocates what the bundles need; false if there is no memory. And frees it. */
bool pgasi_ucx_am_bundle_init(void);
void pgasi_ucx_am_bundle_finalize(void);

/** Adds a message, and its payload, to those that leave together for `thread`; false if it is to be
 *  sent by itself. From any thread. */
bool pgasi_ucx_am_bundle_add(uint32_t thread, const pgasi_net_am_t *am, const void *payload,
                             size_t nbytes);

/** The calling thread has waited for its target: what it sends next does not go alone. */
void pgasi_ucx_am_bundle_expect(void);

/** Reads the next message of a bundle into `am`, moves `*data` behind it and subtracts its size
 *  from `*nbytes`; false if there is no whole one. Its payload, of `am->payload_behind` bytes, is
 * at
 *  `*payload`, in the bundle. */
bool pgasi_ucx_am_bundle_next(char **data, size_t *nbytes, pgasi_net_am_t *am, char **payload);

#endif
