/**
 * Operations with a completion of their own: gets, atomics, calls, large puts, copies.
 *
 * Each is an entry of a table, which its token names: the reply brings the token back. A handle is
 * the token. An agent begins operations. It completes those of its own worker too; the
 * thread that progresses the background worker, perhaps the progress thread, completes those of
 * that worker.
 *
 * The table does not know what an operation is a part of: a reply's payload goes to memory or to a
 * function of the one that began it, and completion counts down what that one counts.
 */
#ifndef PGASI_NET_UCX_PENDING_H
#define PGASI_NET_UCX_PENDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ucp/api/ucp.h>

#include "net/ucx/initiator.h"
#include "net/ucx/wire.h"

/** Takes a reply's payload. False if it is not what `context` waits for: it is dropped. */
typedef bool pgasi_ucx_deliver_t(void *context, const void *data, size_t nbytes);

typedef struct pgasi_ucx_operation {
    /** Where the reply's payload goes: `size` bytes of memory, or, if `deliver` is not NULL, to
     * that function. Both NULL: nowhere. */
    char *dst;
    size_t size;
    pgasi_ucx_deliver_t *deliver;
    void *context;
    /** The other side. */
    uint32_t thread;
    /** Parts that are not done yet; 0: no operation. */
    _Atomic uint32_t parts;
    bool is_background;
    /** The thread that it puts to, + 1; 0: it is no put, or its messages are numbered. */
    uint32_t puts_to;
    /** Counts the operations of its kind that are under way; NULL: not counted. Written by those
     * who progress the operation's worker, one at a time. */
    _Atomic uint32_t *under_way;
    /** Tells an operation from the entry's earlier ones. Changes when the last part is done. */
    _Atomic uint64_t generation;
    uint32_t next_free;
} pgasi_ucx_operation_t;

/** Begins an operation and returns its token: all but `generation` and
 *  `next_free` are the caller's. */
uint64_t pgasi_ucx_operation_begin(const pgasi_ucx_operation_t *operation);

/** An operation of the calling agent's own worker, which is not complete, has one more part. */
void pgasi_ucx_operation_add_part(uint64_t token);

/** The operation in flight that `token` names, NULL if there is none. For an agent, of
 *  operations of its own worker; for the thread that progresses the background worker, of
 *  that worker's. */
pgasi_ucx_operation_t *pgasi_ucx_operation_find(uint64_t token, bool is_background);

/** One part is done, its bytes are in place. With the last one the token is dead. */
void pgasi_ucx_operation_part_done(uint64_t token);

/** True if the operation is complete; what it has brought is then seen. */
bool pgasi_ucx_operation_is_done(uint64_t token);

/** The other side of an operation that is not done. */
uint32_t pgasi_ucx_operation_thread(uint64_t token);

/** Whether an operation that was not done is a put to the thread, not numbered. */
bool pgasi_ucx_operation_puts_to(uint64_t token, uint32_t thread);

/** The calling agent's next operation that is not done, 0 behind the last. `*entry` is where to
 * continue, 0 at first; what begins meanwhile may be left out. */
uint64_t pgasi_ucx_operation_next(uint32_t *entry);

/** The operation completes without delivering anything: its memory may go away. */
void pgasi_ucx_operation_forget(uint64_t token);

/** An initiator without entries. */
void pgasi_ucx_operation_init(pgasi_ucx_initiator_t *initiator);

/** Makes the calling agent's worker, and the target worker, accept what completes operations. */
ucs_status_t pgasi_ucx_operation_accept(void);
ucs_status_t pgasi_ucx_operation_start(void);

/** The same of the background worker, once it has been created. */
ucs_status_t pgasi_ucx_operation_accept_in_background(ucp_worker_h background);

/** Frees the table. */
void pgasi_ucx_operation_finalize(void);

#endif
