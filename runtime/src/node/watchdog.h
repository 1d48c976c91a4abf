/**
 * The watchdog: tells what a thread waits for when that lasts long (PGAS_WATCHDOG).
 */
#ifndef PGASI_NODE_WATCHDOG_H
#define PGASI_NODE_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Writes what the caller waits for, such as "barrier 3, 2 of 4 threads have come": called only by
 *  the watchdog. */
typedef void pgasi_describe_t(char *text, size_t size);

/** A wait that has come to sleeping, as the watchdog sees it; starts as {0}. */
typedef struct pgasi_watch {
    /** Since when it is watched, and when to tell next, by pgasi_milliseconds. */
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

/** How long a sleeper that is watched may sleep before it calls pgasi_watch, in milliseconds; 0: as
 *  long as it likes, since the watchdog is off. */
unsigned pgasi_watch_interval(void);

#endif
