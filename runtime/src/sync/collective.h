/**
 * Collective calls: which one a thread is in, and whether all threads are in the same one.
 *
 * A thread records the call, and those arguments that must be the same on all threads, in its
 * segment's header. Every collective call contains at least one barrier, and every barrier compares
 * the records: by a sum beside the count of arrivals within a node, and as a whole between nodes.
 * If they differ, the job ends with a line that names both threads and both calls. The watchdog
 * uses the same records to say what a missing thread does.
 */
#ifndef PGASI_SYNC_COLLECTIVE_H
#define PGASI_SYNC_COLLECTIVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/agent.h"
#include "shm/call.h"

/** Of pgasi_alone_begin and _end. */
void pgasi_alone_enter(const char *call);
void pgasi_alone_leave(void);

/** Of several agents (base/agent.h), one at a time is in a collective call, or in one on a lock.
 * These note the calling one, and end the job if another one is; to be nested. */
static inline void pgasi_alone_begin(const char *call)
{
    if (__builtin_expect(pgasi_is_shared, 0))
        pgasi_alone_enter(call);
}

static inline void pgasi_alone_end(void)
{
    if (__builtin_expect(pgasi_is_shared, 0))
        pgasi_alone_leave();
}

/**
 * Begins a collective call with arguments that must be the same on all threads. Of nested calls
 * only the outermost is recorded. Ends the program if it is not in the job.
 */
void pgasi_collective_begin(pgasi_collective_t call, size_t count, const uint64_t *arguments);

/** The same with 1 to PGASI_CALL_ARGUMENTS arguments, listed one by one. */
#define PGASI_COLLECTIVE(call, ...) \
    pgasi_collective_begin(call, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), \
                           (const uint64_t[]){__VA_ARGS__})

/** Ends what pgasi_collective_begin began. */
void pgasi_collective_end(void);

/** The name of the collective call that the calling thread is in; NULL if it is in none, or in
 *  `call` itself. For a line about a call that may be a part of another one. */
const char *pgasi_collective_around(const char *call);

/** Leaves it to the node of a thread to end the job, where all nodes know the same reason and take
 *  the same thread: on another node it waits a second for that, and returns if it does not come. */
void pgasi_collective_leave_to(uint32_t thread);

/** Ends the job because two threads are in different calls, `mine` and `other`. */
void pgasi_collective_differ(const pgasi_call_t *mine, const pgasi_call_t *other)
    __attribute__((cold, noreturn));

#endif
