/**
 * A lock, seen from the node it lies on.
 *
 * The word of its mutex says who holds it, of any node: thread + 1, or 0. Threads of this node wait
 * on that word. Threads of other nodes stand in a queue; a release that turns to it hands the lock
 * over to the first, without setting it free in between, and the caller tells that thread. The two
 * sides take turns when both wait, so that neither starves.
 *
 * The operations run in any thread of the node: its own main threads, and the lock owner's serving
 * side on behalf of other nodes. All but pgasi_lock_home_wait return at once.
 */
#ifndef PGASI_LOCK_HOME_H
#define PGASI_LOCK_HOME_H

#include <stdbool.h>
#include <stdint.h>

#include "guard.h"
#include "wait.h"

/** All zero is a free lock. */
typedef struct pgasi_lock_home {
    pgasi_mutex_t holder;
    /** Threads of this node that wait. */
    _Atomic uint32_t locals;
    /** Threads in the queue. */
    _Atomic uint32_t queued;
    /** For the queue: its first and last thread, + 1. */
    pgasi_guard_t guard;
    uint32_t first;
    uint32_t last;
    /** Whether it is this node's turn. Changed by, or on behalf of, the holder only. */
    uint32_t local_turn;
    char reserved[32];
} pgasi_lock_home_t;

_Static_assert(sizeof(pgasi_lock_home_t) == 64, "a lock fills one unit of the heap");

/** Takes the lock for `thread` if it is free. */
bool pgasi_lock_home_attempt(pgasi_lock_home_t *lock, uint32_t thread);

/** True if `thread` holds the lock. Meant for the thread itself, or on its behalf. */
bool pgasi_lock_home_held_by(const pgasi_lock_home_t *lock, uint32_t thread);

/** Waits until `thread`, the calling one, has the lock. */
void pgasi_lock_home_wait(pgasi_lock_home_t *lock, uint32_t thread, pgasi_describe_t *describe);

/**
 * Puts a thread of another node into the queue. `next` are the node's queue links, by thread.
 * Returns the thread, + 1, that has got the lock by it and must be told, or 0; it may be the same
 * one.
 */
uint32_t pgasi_lock_home_queue(pgasi_lock_home_t *lock, uint32_t *next, uint32_t thread);

/** Releases the lock for its holder. Returns as above. */
uint32_t pgasi_lock_home_release(pgasi_lock_home_t *lock, uint32_t *next);

#endif
