/**
 * Collective calls: which one a thread is in, and whether all threads are in the same one.
 *
 * A thread notes the call and those of its arguments that must be the same everywhere in its
 * segment's header. At every barrier, of which each collective call has at least one, the notes are
 * compared: by a sum that travels with the count of arrivals within a node, and as a whole between
 * nodes. Where they differ the job ends with a line that has both threads and both calls. The same
 * notes tell the watchdog what a thread does that is missing.
 */
#ifndef PGASI_SYNC_COLLECTIVE_H
#define PGASI_SYNC_COLLECTIVE_H

#include <stddef.h>
#include <stdint.h>

#include "shm/call.h"

/**
 * Begins a collective call with arguments that must be the same on all threads. One that another
 * makes in turn belongs to it: only the outermost is noted. Ends the program if it is not in the
 * job.
 */
void pgasi_collective_begin(pgasi_collective_t call, size_t count, const uint64_t *arguments);

/** The same with the arguments, PGASI_CALL_ARGUMENTS at most and at least one, one by one. */
#define PGASI_COLLECTIVE(call, ...) \
    pgasi_collective_begin(call, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), \
                           (const uint64_t[]){__VA_ARGS__})

/** Ends what pgasi_collective_begin began. */
void pgasi_collective_end(void);

/** Ends the job because two threads are in different calls, `mine` and `other`. */
void pgasi_collective_differ(const pgasi_call_t *mine, const pgasi_call_t *other)
    __attribute__((cold, noreturn));

#endif
