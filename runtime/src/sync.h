/**
 * What the runtime itself needs of barriers.
 */
#ifndef PGASI_SYNC_H
#define PGASI_SYNC_H

#include <stdint.h>

/**
 * A barrier that also tells every thread the largest of all `contribution`s, and thread 0's `word`.
 * Collective. An output that is not wanted may be NULL.
 */
void pgasi_sync_exchange(uint64_t contribution, uint64_t *maximum, uint64_t word,
                         uint64_t *word_of_thread_0);

#endif
