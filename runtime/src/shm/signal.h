/**
 * Signals (pgas/signal.h) in memory that is mapped here: their change, and how it wakes.
 *
 * One event per thread wakes whoever waits for signals of that thread: those waits are often for
 * several. It is raised only if somebody sleeps. A sleeper counts itself in `sleepers`, reads the
 * event and looks at its signals, in this order; who changes one does that, then reads `sleepers`;
 * all sequentially consistent. So one of the two sees the other, and the event, raised after the
 * change, is not what the sleeper has read if it did not see the change.
 */
#ifndef PGASI_SHM_SIGNAL_H
#define PGASI_SHM_SIGNAL_H

#include <stdatomic.h>
#include <stdint.h>

#include <pgas/signal.h>

#include "shm/event.h"

/** Changes the signal, after all that the calling thread has written before, and wakes those who
 *  sleep on `signalled`, the event of its owner. */
static inline void pgasi_signal_apply(pgas_signal_t *signal, pgas_signal_op_t op, uint64_t value,
                                      pgasi_event_t *signalled)
{
    if (op == PGAS_SIGNAL_ADD)
        __atomic_fetch_add(&signal->value, value, __ATOMIC_SEQ_CST);
    else
        __atomic_exchange_n(&signal->value, value, __ATOMIC_SEQ_CST);
    if (atomic_load(&signalled->sleepers) != 0)
        pgasi_event_raise(signalled, 1);
}

#endif
