/**
 * Which threads are missing in a barrier, for the watchdog.
 */
#ifndef PGASI_SYNC_BARRIER_WATCH_H
#define PGASI_SYNC_BARRIER_WATCH_H

#include <stddef.h>

/** Writes which threads are missing in the barrier that this thread waits in, and what they do, as
 *  far as is known; `name` is the barrier's. Calls other nodes if the watchdog is about to print
 * the text. */
void pgasi_barrier_describe(const char *name, char *text, size_t size);

/** Writes the reply to another node that asks for this node's state. Returns its length. */
size_t pgasi_barrier_reply(void *reply);

#endif
