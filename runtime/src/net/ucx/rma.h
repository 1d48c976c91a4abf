/**
 * Puts, gets and atomic operations by remote memory access (RMA), which the target's processor has
 * nothing to do with. All functions are an agent's.
 *
 * Order. What is posted here and what is sent as a message overtake each other: they take different
 * ways, and a card that has the bytes of a put has not written them yet. So nothing relies on the
 * order of posting, and there is one rule: *an operation is complete when its bytes are at the
 * target, and who must not be overtaken by what follows is waited for before that is sent.* A
 * blocking put returns when it is complete; barriers, signals, active messages, atomic operations
 * and locks that follow it find it done. Copies in flight are ordered by their handles alone
 * (pgas/async.h): neither barriers nor fences complete them, on either way.
 *
 * Completion. A get has completed when UCX says so. A put is complete after a flush of the
 * connection, which completes all puts before it: those to a thread that no flush has been posted
 * for have one handle, that of an operation of the table (pending.h), and a flush is posted when
 * somebody wants one of them to complete. So puts in flight cost no memory, and a thousand of them
 * one flush. Where the initiator's processor writes the target's memory (PGASI_RMA_SHARED) a put
 * that UCX has completed is there, and a fence takes the place of the flush: UCX's own waits until
 * the target's queue of messages has room, which a target that sleeps does not make.
 */
#ifndef PGASI_NET_UCX_RMA_H
#define PGASI_NET_UCX_RMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/types.h>

#include "base/chunks.h"
#include "net/net.h"

/** Whether puts and gets may go so. Set by pgasi_net_init, constant then. */
extern bool pgasi_ucx_rma_is_on;

/** Starts a get or a put of `nbytes` > 0, and returns its handle, 0 if it is complete. False if not
 *  all of the memory can be reached so, or not yet: it must go as a message. The source of a put of
 *  up to PGASI_NET_COPIED_MAX bytes may be reused at once. */
bool pgasi_ucx_rma_get(void *dst, pgas_ptr_t src, size_t nbytes, uint64_t *handle);
bool pgasi_ucx_rma_put(pgas_ptr_t dst, const void *src, size_t nbytes, uint64_t *handle);

/** Starts the first of some chunks, and returns how many; 0: they must go as messages. One handle
 *  completes them. */
size_t pgasi_ucx_rma_get_chunks(char *dst, pgas_ptr_t src, const pgasi_chunks_t *chunks,
                                uint64_t *handle);
size_t pgasi_ucx_rma_put_chunks(pgas_ptr_t dst, const char *src, const pgasi_chunks_t *chunks,
                                uint64_t *handle);

/** Starts an atomic operation that the network has (pgasi_net_has_atomics); as for puts and gets.
 *  `old` is NULL if nobody wants the old value. */
bool pgasi_ucx_rma_atomic(pgas_ptr_t at, const pgasi_net_atomic_t *atomic, void *old,
                          uint64_t *handle);

/** Posts the flush that completes all puts to the thread. False if nothing is under way then. */
bool pgasi_ucx_rma_flush_puts(uint32_t thread);

/** Posts the flush that completes the puts of `handle`, unless that has been done, or the operation
 *  is another one. */
void pgasi_ucx_rma_flush(uint64_t handle);

#endif
