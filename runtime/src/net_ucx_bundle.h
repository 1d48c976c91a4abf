/**
 * Small transfers that nobody waits for yet travel together, one message per target.
 */
#ifndef PGASI_NET_UCX_BUNDLE_H
#define PGASI_NET_UCX_BUNDLE_H

#include "net_ucx_pending.h"

/** The largest transfer that is bundled, in bytes. */
#define PGASI_UCX_BUNDLED_MAX 256

/** Adds a put to those that wait; returns its handle. `src` may be reused at once. */
uint64_t pgasi_ucx_bundle_put(pgas_ptr_t dst, const void *src, size_t nbytes);

/** Adds a get to those that wait; returns their common handle. */
uint64_t pgasi_ucx_bundle_get(void *dst, pgas_ptr_t src, size_t nbytes);

/** Sends the puts that wait, if any. */
void pgasi_ucx_send_puts(uint32_t thread);

/** Sends the gets that wait, if any. */
void pgasi_ucx_send_gets(uint32_t thread);

/** Asks for an acknowledgement of all puts to a thread so far; sends those that wait. */
void pgasi_ucx_ask(uint32_t thread);

/** Distributes the answer to a bundle of gets, which is done with then. */
void pgasi_ucx_place(pgasi_ucx_places_t *places, const void *data);

void pgasi_ucx_bundles_free(void);

#endif
