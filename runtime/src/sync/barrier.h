/**
 * What the runtime itself needs of barriers.
 */
#ifndef PGASI_SYNC_BARRIER_H
#define PGASI_SYNC_BARRIER_H

#include <stdint.h>

/** Counts what may show the calling thread that memory has been allocated or freed: its fences and
 *  barriers, and its own frees. For those who remember what the heaps have told them. */
extern uint64_t pgasi_sync_epoch;

/** Serves the barriers' signals to other nodes. Between pgasi_net_init and pgasi_net_start. */
void pgasi_sync_serve(void);

/**
 * A barrier that also tells every thread the largest of all `contribution`s, and thread 0's `word`.
 * Collective. An output that is not wanted may be NULL.
 */
void pgasi_sync_exchange(uint64_t contribution, uint64_t *maximum, uint64_t word,
                         uint64_t *word_of_thread_0);

#endif
