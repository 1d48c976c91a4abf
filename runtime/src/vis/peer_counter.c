#include "vis/peer_counter.h"

#include <stdlib.h>

#include "copy/transfer.h"

#define NOBODY UINT32_MAX

static _Thread_local pgasi_peer_counter_t counters[PGAS_DIRECTIONS];

pgasi_peer_counter_t *pgasi_peer_counter_begin(pgas_direction_t direction)
{
    pgasi_peer_counter_t *counter = &counters[direction];
    if (counter->entries == NULL) {
        counter->entries = calloc(pgasi_job.threads, sizeof *counter->entries);
        if (counter->entries == NULL)
            pgasi_fatal("copy", "no memory for a table of %u threads", pgasi_job.threads);
        counter->direction = direction;
    }
    counter->epoch++;
    counter->last = NOBODY;
    return counter;
}

void pgasi_peer_counter_name(pgasi_peer_counter_t *counter, uint32_t thread)
{
    counter->entries[thread] =
        (pgasi_peer_counter_entry_t){.epoch = counter->epoch, .nbytes = 0, .before = counter->last};
    counter->last = thread;
}

void pgasi_peer_counter_count(pgasi_peer_counter_t *counter)
{
    if (counter == NULL)
        return;
    for (uint32_t thread = counter->last; thread != NOBODY;
         thread = counter->entries[thread].before)
        if (counter->direction == PGAS_FROM)
            pgasi_count_packed_get(thread, counter->entries[thread].nbytes);
        else
            pgasi_count_packed_put(thread, counter->entries[thread].nbytes);
}

void pgasi_peer_counter_detach(void)
{
    for (int i = 0; i < PGAS_DIRECTIONS; i++) {
        free(counters[i].entries);
        counters[i] = (pgasi_peer_counter_t){0};
    }
}
