/**
 * Small transfers that travel together, one message per target: aggregation buffers.
 *
 * A piece of a message is one chunk of memory or a run of chunks at one distance. To a target that
 * has nothing under way a message leaves at once; what is begun meanwhile waits for the target's
 * answer, for a full buffer, or for somebody who wants it done. All functions are the main
 * thread's.
 */
#ifndef PGASI_NET_UCX_AGGREGATE_H
#define PGASI_NET_UCX_AGGREGATE_H

#include <pgas/types.h>

#include "base/chunks.h"
#include "net/ucx/pending.h"
#include "net/ucx/post.h"

/** The largest chunk that travels so, in bytes. Copying it costs less than a message of its own. */
#define PGASI_UCX_CHUNK_MAX ((size_t)16384)

/** Makes the table by target. */
ucs_status_t pgasi_ucx_aggregate_start(void);

/** Waits while many messages are under way, so that they take no more than some megabytes here and
 *  at the targets, however many operations are begun. To be called before anything is begun. */
void pgasi_ucx_room_wait(void);

/** Adds a put of the first of some chunks, as many as the message has room for, to those that wait;
 *  returns their number and, in `*handle`, the handle. The source may be reused at once. If
 *  `leaves`, the message is sent now if nothing is under way to the thread. */
size_t pgasi_ucx_puts_add(pgas_ptr_t dst, const char *src, const pgasi_chunks_t *chunks,
                          bool leaves, uint64_t *handle);

/** The same of gets; the handle is common to all of the message. */
size_t pgasi_ucx_gets_add(char *dst, pgas_ptr_t src, const pgasi_chunks_t *chunks, bool leaves,
                          uint64_t *handle);

/** Sends what waits, if anything. */
void pgasi_ucx_puts_send(uint32_t thread);
void pgasi_ucx_gets_send(uint32_t thread);

/** All puts to a thread that have been sent are acknowledged: sends what waits, if anything. */
void pgasi_ucx_puts_acked(uint32_t thread);

/** Asks for an acknowledgement of all puts to a thread so far; sends those that wait. */
void pgasi_ucx_puts_ask(uint32_t thread);

/** Requests for gets that are not answered: part of what pgasi_ucx_room_wait bounds. */
extern _Atomic uint32_t pgasi_ucx_gets_unanswered;

/** Descriptors of the initiating worker's requests that travel alone, the other part. */
extern pgasi_ucx_pool_t pgasi_ucx_requests;

/** Drops what was never sent, since nobody has waited for it, and frees everything. */
void pgasi_ucx_aggregate_finalize(void);

#endif
