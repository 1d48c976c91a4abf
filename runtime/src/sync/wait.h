/**
 * Waiting for events: spin, then yield, then sleep, and progress the network meanwhile.
 *
 * The spin is long if every thread of the node can have a core of its own, and short otherwise: a
 * spinning thread would keep the one that it waits for from running.
 */
#ifndef PGASI_SYNC_WAIT_H
#define PGASI_SYNC_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "node/watchdog.h"
#include "shm/event.h"

/** Chooses the length of the spin for `threads` threads on this host, by the processors that it
 *  has. */
void pgasi_wait_init(uint32_t threads);

/** They may run on fewer processors than they are. */
void pgasi_wait_crowd(void);

/** Whether each of them can have a core of its own. */
bool pgasi_wait_is_alone(void);

/**
 * Returns when the event's value is not `old` any more; what its writer did before is visible then.
 * A waiting main thread progresses the network and runs handlers of active messages, for which it
 * also wakes up. `describe` may be NULL.
 */
void pgasi_event_wait(pgasi_event_t *event, uint32_t old, pgasi_describe_t *describe);

/** Runs what has come for the caller, and goes on with what it has in the background, once. Returns
 *  0 if there was nothing. */
unsigned pgasi_serve(void);

/** After each look for what another thread does, which the program may repeat in a loop of its own:
 *  gives the core away now and then if several in a row have not `found` it. */
void pgasi_looked(bool found);

/** pgasi_event_wait for calls that include a fence (pgas_fence): the caller serves others also
 * where there is nothing to wait for. */
void pgasi_event_wait_serving(pgasi_event_t *event, uint32_t old, pgasi_describe_t *describe);

/**
 * pgasi_event_wait until `is_done(argument)`, which acquires what its writer did before. Who makes
 * it true raises `event` then if `event->sleepers` is not 0, both sequentially consistent; or
 * nobody does, and sleeps are of `longest` microseconds at most (0: of any length). A caller that
 * has operations in the background (sync/background.h) continues them meanwhile, and sleeps shortly
 * as long as it has.
 */
void pgasi_wait(pgasi_event_t *event, bool (*is_done)(const void *argument), const void *argument,
                unsigned longest, pgasi_describe_t *describe);

/** The same without an event, as long as the caller has operations in the background: false if it
 *  has no more, and the condition does not hold. */
bool pgasi_wait_with_background(bool (*is_done)(const void *argument), const void *argument);

#endif
