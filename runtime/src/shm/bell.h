/**
 * Bells: how a message wakes the thread that it is for, wherever that sleeps.
 *
 * A thread that sleeps waits for an event, or for nothing but time, and for its bell. A sender
 * publishes its message, then reads `asleep`; the sleeper sets `asleep`, then looks for messages
 * once more; all four are sequentially consistent. So the sender sees that the other sleeps, or the
 * sleeper sees the message: no wake-up is lost. A sender that sees it raises `rung` before it
 * wakes, and the sleeper has read `rung` before it looked for messages, so that the system call
 * does not begin to sleep if that comes in between.
 *
 * Two words are waited for by futex_waitv (Linux 5.16). Without it, sleeps are bounded by
 * PGASI_BELL_BOUND_US.
 */
#ifndef PGASI_SHM_BELL_H
#define PGASI_SHM_BELL_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "shm/event.h"

enum {
    PGASI_BELL_BOUND_US = 1000
};

/** How a bell's thread sleeps. */
enum {
    PGASI_BELL_AWAKE,
    PGASI_BELL_ASLEEP,
    /** On descriptors, one of which is its socket (shm/bell_socket.h). */
    PGASI_BELL_POLLING
};

/** Of one thread, which alone sleeps on it. Starts as zeros. */
typedef struct pgasi_bell {
    alignas(64) _Atomic uint32_t rung;
    _Atomic uint32_t asleep;
    /** The number of its socket. Written before anybody rings. */
    uint64_t socket;
} pgasi_bell_t;

/** Finds out whether the kernel has futex_waitv, and leaves it alone if not `allowed`. */
void pgasi_bell_init(bool allowed);

/** Whether it is used. */
bool pgasi_bell_waits_for_two(void);

/** Wakes the bell's thread, which sleeps. */
void pgasi_bell_wake(pgasi_bell_t *bell);

/** Wakes the bell's thread if it sleeps; after a message to it has been published. */
static inline void pgasi_bell_ring(pgasi_bell_t *bell)
{
    if (atomic_load(&bell->asleep) != 0)
        pgasi_bell_wake(bell);
}

/**
 * Sleeps until `event` is not `old` any more, the bell rings, or `microseconds` have passed (0: no
 * limit), and does not if `has_come` is true. `event` may be NULL. May return early.
 */
void pgasi_bell_sleep(pgasi_bell_t *bell, pgasi_event_t *event, uint32_t old, unsigned microseconds,
                      bool (*has_come)(void));

/** From here on, until pgasi_bell_poll_end, whoever rings makes the descriptor ready that this
 *  returns; -1 if the bell has no socket. The caller looks for messages once more before it sleeps.
 */
int pgasi_bell_poll_begin(pgasi_bell_t *bell);
void pgasi_bell_poll_end(pgasi_bell_t *bell);

#endif
