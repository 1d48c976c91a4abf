#include "net/ucx/target_signal.h"

#include <stdlib.h>

#include <pgas/signal.h>

#include "net/ucx/request.h"
#include "shm/signal.h"

struct pgasi_ucx_held {
    struct pgasi_ucx_held *next;
    uint64_t number;
    pgasi_net_signal_t signal;
};

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

bool pgasi_ucx_signal_hold(pgasi_ucx_held_t **held, uint64_t number,
                           const pgasi_net_signal_t *signal)
{
    pgasi_ucx_held_t *one = malloc(sizeof *one);
    if (one == NULL)
        return false;
    while (*held != NULL && (*held)->number < number)
        held = &(*held)->next;
    *one = (pgasi_ucx_held_t){*held, number, *signal};
    *held = one;
    return true;
}

static void remove_first(pgasi_ucx_held_t **held)
{
    pgasi_ucx_held_t *first = *held;
    *held = first->next;
    free(first);
}

void pgasi_ucx_signal_apply_held(pgasi_ucx_held_t **held, uint64_t done)
{
    while (*held != NULL && (*held)->number <= done) {
        pgasi_ucx_signal_apply(&(*held)->signal);
        remove_first(held);
    }
}

void pgasi_ucx_signal_forget(pgasi_ucx_held_t **held)
{
    while (*held != NULL)
        remove_first(held);
}
