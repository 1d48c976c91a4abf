/**
 * Small transfers that travel together, one message per target: aggregation buffers.
 *
 * A piece of a message is one chunk of memory, a strided run of chunks or an atomic operation. To a
 * target that has nothing under way a message leaves at once; what is begun meanwhile waits for the
 * target's reply, for a full buffer, or for somebody who wants it done. All functions are an
 * agent's.
 */
#ifndef PGASI_NET_UCX_AGGREGATE_H
#define PGASI_NET_UCX_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/types.h>

#include "base/chunks.h"
#include "net/net.h"
#include "net/ucx/initiator.h"

/** The largest chunk that travels so, in bytes. Copying it costs less than a message of its own. */
#define PGASI_UCX_CHUNK_MAX ((size_t)16384)

/** Allocates the table by target of an initiator; false if there is no memory. */
bool pgasi_ucx_aggregate_init(pgasi_ucx_initiator_t *initiator);

/** Adds a put of the first of some chunks, as many as the buffer still holds, to those that wait;
 *  returns their number and, in `*handle`, the handle. The source may be reused at once. If
 *  `leaves`, the message is sent now if nothing is under way to the thread. */
size_t pgasi_ucx_puts_add(pgas_ptr_t dst, const char *src, const pgasi_chunks_t *chunks,
                          bool leaves, uint64_t *handle);

/** Adds an atomic operation to the gets, whose old value goes to `old`, or to the puts; leaves as
 *  soon as possible. Returns the handle. */
uint64_t pgasi_ucx_atomic_add(void *old, pgas_ptr_t at, const pgasi_net_atomic_t *atomic);
uint64_t pgasi_ucx_update_add(pgas_ptr_t at, const pgasi_net_atomic_t *atomic);

/** Adds a get of some chunks, as pgasi_ucx_puts_add does; the handle is common to all of the
 * message. */
size_t pgasi_ucx_gets_add(char *dst, pgas_ptr_t src, const pgasi_chunks_t *chunks, bool leaves,
                          uint64_t *handle);

/** Sends what waits, if anything. */
void pgasi_ucx_puts_flush(uint32_t thread);
void pgasi_ucx_gets_flush(uint32_t thread);

/** All puts to a thread that have been sent are acknowledged: sends what waits, if anything. */
void pgasi_ucx_puts_acked(uint32_t thread);

/** Requests an acknowledgement of all puts to a thread so far; sends those that wait. */
void pgasi_ucx_puts_request_ack(uint32_t thread);

/** Frees everything, what was never sent since nobody has waited for it included. */
void pgasi_ucx_aggregate_free(pgasi_ucx_initiator_t *initiator);

#endif
