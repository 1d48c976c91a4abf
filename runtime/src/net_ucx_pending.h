/**
 * Operations that the main thread has started, and how they complete.
 *
 * A handle is 64 bits (net.h): puts are numbered per target and complete when the target has
 * acknowledged their number, so that a put in flight costs no memory; everything else is an entry
 * of a table, which the answer names. All functions are the main thread's.
 */
#ifndef PGASI_NET_UCX_PENDING_H
#define PGASI_NET_UCX_PENDING_H

#include "net_ucx.h"

/** Where the answer to a bundle of gets goes; see net_ucx_bundle.c. */
typedef struct pgasi_ucx_places pgasi_ucx_places_t;

/** What is on its way to one thread. */
typedef struct pgasi_ucx_target {
    /** Puts begun, puts whose acknowledgement is asked for, puts acknowledged: numbers from 1. */
    uint64_t sent;
    uint64_t asked;
    uint64_t done;
    /** Puts, and gets, that wait to be sent together; NULL if none. */
    pgasi_ucx_parcel_t *puts;
    size_t puts_size;
    pgasi_ucx_places_t *gets;
} pgasi_ucx_target_t;

/** By thread. */
extern pgasi_ucx_target_t *pgasi_ucx_targets;

/** A new entry of one part. Its answer goes to `dst`, which has room for `size` bytes, or to
 *  `places`. */
uint64_t pgasi_ucx_pending(uint32_t thread, void *dst, size_t size, pgasi_ucx_places_t *places);

/** One more part that must be finished, and one part less. */
void pgasi_ucx_add_part(uint64_t bits);
void pgasi_ucx_finish_part(uint64_t bits);

/** Nobody wants the answer any more. */
void pgasi_ucx_forget(uint64_t bits);

/** Notes that all puts to `thread` so far are to be acknowledged. */
void pgasi_ucx_await_ack(uint32_t thread);

/** The handle of the last put to `thread`. */
uint64_t pgasi_ucx_put_handle(uint32_t thread);

/** The other side of an operation in flight. */
uint32_t pgasi_ucx_thread_of(uint64_t bits);

bool pgasi_ucx_is_put(uint64_t bits);
bool pgasi_ucx_is_done(uint64_t bits);

/** Sees to it that an operation that is not done will be: sends what waits to be sent with others,
 *  asks for the acknowledgement. */
void pgasi_ucx_hurry(uint64_t bits);

/** What is missing, for the watchdog. */
void pgasi_ucx_describe(uint64_t bits, char *text, size_t size);

#endif
