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
#include <stdbool.h>
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

/** Sleeps until the value is not `old` any more, for at most `microseconds`, or without a limit if
 *  that is 0; true if it is not. */
bool pgasi_event_wait_briefly(pgasi_event_t *event, uint32_t old, unsigned microseconds);

/** A spin that drives the network ends when nothing has come for so many turns: fewer where threads
 *  share cores. A turn looks at the sockets, which takes about a microsecond; giving way costs less
 *  than that, and the thread waited for may share the core. */
extern unsigned pgasi_drives;

enum {
    PGASI_DRIVES_PER_YIELD = 4
};

/** Drives the network for as long as a spin lasts; true as soon as `is_done(argument)`. For use
 *  between pgasi_net_drive_begin and _end. */
bool pgasi_wait_driving(bool (*is_done)(const void *argument), const void *argument);

/** A wait that has come to sleeping, as the watchdog sees it; starts as {0}. */
typedef struct pgasi_watch {
    /** Since when it is watched, and when to tell next, in milliseconds of a clock that never goes
     *  back. */
    uint64_t since;
    uint64_t next;
} pgasi_watch_t;

/** Tells what is waited for if that has lasted PGAS_WATCHDOG seconds, then when it has lasted twice
 *  as long, and so on; of several threads of a node that wait for the same, one tells it. Called
 *  when the sleeper wakes up, every second or more often. */
void pgasi_watch(pgasi_watch_t *watch, pgasi_describe_t *describe);

/** True while pgasi_watch calls `describe` for a line that is about to be written: then it may take
 *  some time. */
bool pgasi_watch_is_telling(void);

/** The clock of pgasi_watch_t. */
uint64_t pgasi_milliseconds(void);

/** The longest sleep of a waiting thread where somebody has to look after it. */
#define PGASI_NAP_MS 100

/** Stores `value` and wakes everybody who waits. */
void pgasi_event_set(pgasi_event_t *event, uint32_t value);

/** Adds to the value, from any number of threads at once, and wakes everybody who waits. */
void pgasi_event_raise(pgasi_event_t *event, uint32_t by);

#endif
