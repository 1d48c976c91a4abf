#include "net/ucx/target_signal.h"

#include <pgas/signal.h>

#include "net/ucx/request.h"
#include "shm/signal.h"

static pgas_signal_t *word_of(const pgasi_net_signal_t *signal)
{
    return pgasi_ucx_word_at(PGAS_ADD, PGAS_UINT64, signal->offset);
}

bool pgasi_ucx_signal_is_valid(const pgasi_net_signal_t *signal)
{
    return signal->op <= PGAS_SIGNAL_ADD && word_of(signal) != NULL;
}

void pgasi_ucx_signal_apply(const pgasi_net_signal_t *signal)
{
    pgasi_signal_apply(word_of(signal), (pgas_signal_op_t)signal->op, signal->value,
                       &pgasi_header_of(pgasi_job.thread)->signalled);
}

void pgasi_ucx_signal_apply_held(pgasi_ucx_held_t *held, uint64_t done)
{
    pgasi_net_signal_t signal;
    while (pgasi_ucx_held_take(held, done, &signal))
        pgasi_ucx_signal_apply(&signal);
}
