/**
 * What a thread is doing, for the others of its node: the collective call that it is in or was in
 * last, and what it waits for. For messages about threads that others wait for.
 */
#ifndef PGASI_NODE_ACTIVITY_H
#define PGASI_NODE_ACTIVITY_H

#include <stddef.h>
#include <stdint.h>

#include "node/memory.h"
#include "shm/call.h"

/** The activity of a thread of this node. */
pgasi_activity_t *pgasi_activity_of(uint32_t thread);

/** The calling thread enters a collective call, and leaves it. */
void pgasi_activity_begin(const pgasi_call_t *call);
void pgasi_activity_end(void);

/** The calling thread, whose activity it is, enters a barrier outside of such calls. */
static inline void pgasi_activity_barrier(pgasi_activity_t *activity)
{
    __atomic_store_n(&activity->last.call, PGASI_BARRIER, __ATOMIC_RELAXED);
    __atomic_store_n(&activity->last.count, 0, __ATOMIC_RELAXED);
}

/** The calling thread still waits for `text`; NULL: it does not wait any more. To be repeated about
 *  every second. */
void pgasi_activity_waits(const char *text);

/** Writes what a thread of this node is doing, to follow its name: "(pid 4711) waits for the lock
 *  at thread 0, offset 4160". */
void pgasi_activity_describe(uint32_t thread, char *text, size_t size);

#endif
