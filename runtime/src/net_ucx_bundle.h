/**
 * Small transfers that nobody waits for yet travel together, one message per target. A piece of a
 * message is one chunk of memory or a run of chunks at one distance.
 */
#ifndef PGASI_NET_UCX_BUNDLE_H
#define PGASI_NET_UCX_BUNDLE_H

#include "net_ucx_pending.h"

/** The largest chunk that a piece may have, in bytes. */
#define PGASI_UCX_CHUNK_MAX ((size_t)16384)

/** Adds a put of the first of some chunks, as many as the message has room for, to those that wait;
 *  returns their number and, in `*bits`, the handle. The source may be reused at once. */
size_t pgasi_ucx_bundle_put(pgas_ptr_t dst, const char *src, const pgasi_chunks_t *chunks,
                            uint64_t *bits);

/** The same of gets; the handle is common to all of the message. */
size_t pgasi_ucx_bundle_get(char *dst, pgas_ptr_t src, const pgasi_chunks_t *chunks,
                            uint64_t *bits);

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
