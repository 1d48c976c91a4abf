/**
 * The watchdog: reports what a thread waits for when that lasts long (PGAS_WATCHDOG).
 */
#ifndef PGASI_NODE_WATCHDOG_H
#define PGASI_NODE_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Writes what the caller waits for, such as "barrier 3, 2 of 4 threads have come". Only the
 *  watchdog calls it. */
typedef void pgasi_describe_t(char *text, size_t size);

/** A wait in which a thread sleeps; starts as {0}. */
typedef struct pgasi_watch {
    /** When it was first checked, and when to report next, by pgasi_milliseconds. */
    uint64_t since;
    uint64_t next;
} pgasi_watch_t;

/** Reports what is waited for when that has lasted PGAS_WATCHDOG seconds, twice as long, and so on;
 *  of several threads of a node that wait for the same thing, one reports it. To be called when the
 *  sleeper wakes up, every second or more often. */
void pgasi_watch(pgasi_watch_t *watch, pgasi_describe_t *describe);

/** The wait is over, and may begin again: who looks at what the thread does finds it no more. */
void pgasi_watch_end(pgasi_watch_t *watch);

/** True while pgasi_watch calls `describe` for a line that it is about to write: `describe` may
 * take some time then, and its own waits are not watched. */
bool pgasi_watch_is_telling(void);

/** How long a sleeper may sleep before it must call pgasi_watch, in milliseconds; 0: any time,
 * since the watchdog is off. */
unsigned pgasi_watch_interval(void);

#endif
