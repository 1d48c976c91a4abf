/**
 * Who is missing in a barrier, for the watchdog.
 */
#ifndef PGASI_SYNC_BARRIER_WATCH_H
#define PGASI_SYNC_BARRIER_WATCH_H

#include <stddef.h>

/** Writes who is missing in the barrier that this thread waits in, and what they are doing, as far
 *  as it can be known; `name` is the barrier's. Asks other nodes if the watchdog is about to tell
 *  it. */
void pgasi_barrier_describe(const char *name, char *text, size_t size);

/** Answers another node's question after this node's threads. Returns the length of `reply`. */
size_t pgasi_barrier_answer(void *reply);

#endif
