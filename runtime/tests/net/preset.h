/**
 * Messages that are numbered as if their senders had run for long.
 */
#ifndef RUNTIME_TESTS_PRESET_H
#define RUNTIME_TESTS_PRESET_H

#include <pgas/detail.h>

#include "net/net.h"
#include "net/ucx/numbered.h"
#include "net/ucx/target_put.h"

/** As if `number` messages had been sent between each two threads. All threads call it while no
 *  numbered message is under way. */
static inline void preset_messages(uint64_t number)
{
    for (uint32_t thread = 0; pgasi_net_is_up && thread < pgasi_job.threads; thread++) {
        pgasi_ucx_me->targets[thread] = (pgasi_ucx_target_t){
            .assigned = number, .sent = number, .requested = number, .acked = number};
        pgasi_ucx_sources[thread].arrivals = (pgasi_arrivals_t){.done = number};
    }
}

#endif
