/**
 * What the rest of the runtime needs of barriers.
 */
#ifndef PGASI_SYNC_BARRIER_H
#define PGASI_SYNC_BARRIER_H

#include <stdint.h>

/** Counts the calling thread's fences, barriers and frees: only after one of them may it see that
 *  memory has been allocated or freed. For caches of what the heaps have replied. */
extern _Thread_local uint64_t pgasi_sync_epoch __attribute__((tls_model("initial-exec")));

/** Serves barriers to other nodes. Between pgasi_net_init and pgasi_net_start. */
void pgasi_sync_serve(void);

/**
 * A barrier that also gives every thread the largest of all `contribution`s, and thread 0's `word`.
 * Collective. Each output may be NULL.
 */
void pgasi_sync_exchange(uint64_t contribution, uint64_t *maximum, uint64_t word,
                         uint64_t *word_of_thread_0);

#endif
