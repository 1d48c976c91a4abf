/**
 * Waiting and waking between processes: spin, then yield, then sleep.
 *
 * The words live in shared memory. The spin is long when every thread of the node can have a core
 * of its own, and short otherwise: a thread that spins then keeps the one it waits for from
 * running.
 */
#ifndef PGASI_WAIT_H
#define PGASI_WAIT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/** A word that threads wait on, and how many of them sleep. */
typedef struct pgasi_event {
    _Atomic uint32_t value;
    _Atomic uint32_t sleepers;
} pgasi_event_t;

/** Chooses the length of the spin for `threads` threads on this host. */
void pgasi_wait_init(uint32_t threads);

/** Writes what the caller waits for, such as "barrier 3, 2 of 4 threads have come": called only by
 *  the watchdog (PGAS_WATCHDOG). */
typedef void pgasi_describe_t(char *text, size_t size);

/**
 * Returns when the event's value is not `old` any more; what its writer did before is then seen. A
 * waiting main thread drives the network. `describe` may be NULL.
 */
void pgasi_event_wait(pgasi_event_t *event, uint32_t old, pgasi_describe_t *describe);

/** Stores `value` and wakes everybody who waits. */
void pgasi_event_set(pgasi_event_t *event, uint32_t value);

/** A mutual exclusion in shared memory; all zero is free. The value is the holder's number + 1. */
typedef struct pgasi_mutex {
    pgasi_event_t event;
} pgasi_mutex_t;

/** Takes the mutex for `thread`, waiting if need be. Not recursive. */
void pgasi_mutex_lock(pgasi_mutex_t *mutex, uint32_t thread);

/** Takes the mutex if it is free; 1 if taken, else 0. */
int pgasi_mutex_attempt(pgasi_mutex_t *mutex, uint32_t thread);

/** Releases the mutex. */
void pgasi_mutex_unlock(pgasi_mutex_t *mutex);

/** 1 if `thread` holds the mutex. Meant for the thread itself. */
int pgasi_mutex_held_by(const pgasi_mutex_t *mutex, uint32_t thread);

#endif
