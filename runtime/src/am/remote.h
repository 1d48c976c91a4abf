/**
 * Messages between nodes: what comes is queued and then run, outside of the network's own calls, by
 * the main thread, or, for handlers of PGAS_AM_ANYWHERE, by the progress thread. outgoing.h says
 * why neither side's memory grows.
 */
#ifndef PGASI_AM_REMOTE_H
#define PGASI_AM_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include <pgas/am.h>

#include "am/outgoing.h"

/** What the main thread does in the network's waits: as in net/net.h. */
typedef struct pgasi_am_waiting {
    unsigned (*poll)(void);
    bool (*has_come)(void);
    int (*sleep_begin)(void);
    void (*sleep_end)(void);
    unsigned (*longest_sleep)(void);
} pgasi_am_waiting_t;

/** Makes the network deliver messages to here, and do `waiting`; false if there is no memory. Does
 *  nothing in a job of one node. */
bool pgasi_am_remote_start(const pgasi_am_waiting_t *waiting);
void pgasi_am_remote_finish(void);

/** Sends a request to a thread of another node; waits for credits, and for a payload that is sent
 *  from the program's memory, and runs handlers meanwhile. For the main thread. */
void pgasi_am_request_remote(const pgasi_outgoing_t *out);

/** Sends the reply to a request. In its handler, in any thread. May wait for a payload that is sent
 *  from the program's memory, without running handlers. */
void pgasi_am_reply_remote(const pgasi_outgoing_t *out, const pgas_am_token_t *token);

/** Runs what has come, a bounded number, in the main thread; returns how many. */
unsigned pgasi_am_remote_run(void);

/** Whether there is something to run. */
bool pgasi_am_remote_has_come(void);

/** From here on nothing that has come is run, and so nothing is replied. For the main thread; the
 *  progress thread may still be running one. */
void pgasi_am_remote_end(void);

#endif
