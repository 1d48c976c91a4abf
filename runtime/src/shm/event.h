/**
 * Events: words in shared memory that processes wait on.
 *
 * The calls here know nothing of the network: sync/wait.h has the wait of a thread that progresses
 * it meanwhile.
 */
#ifndef PGASI_SHM_EVENT_H
#define PGASI_SHM_EVENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** A word that threads wait on, and how many of them sleep. Starts as zeros. */
typedef struct pgasi_event {
    _Atomic uint32_t value;
    _Atomic uint32_t sleepers;
} pgasi_event_t;

/** Sleeps while the word is `old`, until somebody wakes those who sleep there, for at most
 *  `microseconds`, or without a limit if that is 0; or for no reason. */
void pgasi_futex_wait(_Atomic uint32_t *word, uint32_t old, unsigned microseconds);

/** The shorter of a sleep's time and `most`, not 0, of which the former may be 0: without a limit.
 */
static inline unsigned pgasi_sleep_at_most(unsigned microseconds, unsigned most)
{
    return microseconds == 0 || microseconds > most ? most : microseconds;
}

/** Stores `value` and wakes everybody who waits. */
void pgasi_event_set(pgasi_event_t *event, uint32_t value);

/** Adds to the value, from any number of threads at once, and wakes everybody who waits. */
void pgasi_event_raise(pgasi_event_t *event, uint32_t by);

/** Sleeps until the value is not `old` any more, for at most `microseconds`, or without a limit if
 *  that is 0; true if it is not. */
bool pgasi_event_sleep(pgasi_event_t *event, uint32_t old, unsigned microseconds);

/** Whether the value is not `old` any more; what its writer did before is then seen. */
static inline bool pgasi_event_has_changed(const pgasi_event_t *event, uint32_t old)
{
    return atomic_load_explicit(&event->value, memory_order_acquire) != old;
}

#endif
