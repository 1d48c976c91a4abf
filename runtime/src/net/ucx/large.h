/**
 * Large transfers, and those between two other threads.
 *
 * They go by the background worker, so that they proceed while the main thread computes, and
 * each has a completion of its own. The functions return the handle, and may wait while many are
 * under way. Any agent calls them (base/agent.h), and who continues collectives (beside.h).
 */
#ifndef PGASI_NET_UCX_LARGE_H
#define PGASI_NET_UCX_LARGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/types.h>

/** `nbytes` > 0. Source and destination must stay until the operation is complete. */
uint64_t pgasi_ucx_large_get(void *dst, pgas_ptr_t src, size_t nbytes);
uint64_t pgasi_ucx_large_put(pgas_ptr_t dst, const void *src, size_t nbytes);

/** Starts a put that a signal follows: as messages with the next numbers to the thread, where no
 *  other message waits to be sent. */
void pgasi_ucx_large_put_numbered(pgas_ptr_t dst, const void *src, size_t nbytes);

/** Whether any transfer is under way. */
bool pgasi_ucx_large_is_under_way(void);

/** Neither `dst` nor `src` is on this node: the source's thread sends to the destination's. */
uint64_t pgasi_ucx_large_copy(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes);

/** Frees what the transfers keep. */
void pgasi_ucx_large_finalize(void);

#endif
