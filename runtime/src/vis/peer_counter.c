#include "vis/peer_counter.h"

#include <stdlib.h>

#include "copy/transfer.h"

#define NOBODY UINT32_MAX

static pgasi_peer_counter_t tallies[PGAS_DIRECTIONS];

pgasi_peer_counter_t *pgasi_peer_counter_begin(pgas_direction_t direction)
{
    pgasi_peer_counter_t *tally = &tallies[direction];
    if (tally->entries == NULL) {
        tally->entries = calloc(pgasi_job.threads, sizeof *tally->entries);
        if (tally->entries == NULL)
            pgasi_fatal("copy", "no memory for a table of %u threads", pgasi_job.threads);
        tally->direction = direction;
    }
    tally->stamp++;
    tally->last = NOBODY;
    return tally;
}

void pgasi_peer_counter_name(pgasi_peer_counter_t *tally, uint32_t thread)
{
    tally->entries[thread] =
        (pgasi_peer_counter_entry_t){.stamp = tally->stamp, .nbytes = 0, .before = tally->last};
    tally->last = thread;
}

void pgasi_peer_counter_count(pgasi_peer_counter_t *tally)
{
    if (tally == NULL)
        return;
    for (uint32_t thread = tally->last; thread != NOBODY; thread = tally->entries[thread].before)
        if (tally->direction == PGAS_FROM)
            pgasi_count_packed_get(thread, tally->entries[thread].nbytes);
        else
            pgasi_count_packed_put(thread, tally->entries[thread].nbytes);
}
