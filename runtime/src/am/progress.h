/**
 * Running what has come, and sleeping until something comes.
 *
 * Handlers run in the main thread, in calls that wait or progress, and if there are several agents
 * (base/agent.h), in any of them, but in one at a time; those of PGAS_AM_ANYWHERE that come from
 * other nodes also in the progress thread. Unless marked, all is for agents.
 */
#ifndef PGASI_AM_PROGRESS_H
#define PGASI_AM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <pgas/types.h>

#include "net/net.h"
#include "node/watchdog.h"
#include "shm/event.h"

/** Whether the job has handlers: nobody sends messages to threads that have none. */
extern _Atomic bool pgasi_am_is_used;

/** Prepares mailbox, bell and network: when the segments are mapped, before the network starts.
 *  Logs failures. */
pgas_status_t pgasi_am_start(void);

/** Whether every thread of the host can have a core of its own; may be told again. */
void pgasi_am_spin_init(bool alone);

/** Prepares the calling agent (base/agent.h); false if there is no memory. And the end of that. */
bool pgasi_am_attach(void);
void pgasi_am_detach(void);

/** From here on there are handlers, which the others may send to after the next barrier. */
void pgasi_am_use(void);

/** From here on no handler runs for a message of another node: what it would send could no longer
 *  leave. */
void pgasi_am_end(void);

/** The end of all messages. */
void pgasi_am_finish(void);

/** Runs what has come, a bounded number of messages, and returns how many. Nothing while the
 * calling thread is restricted (base/self.h). */
unsigned pgasi_am_run(void);

static inline unsigned pgasi_am_poll(void)
{
    return pgasi_am_is_used ? pgasi_am_run() : 0;
}

/** Lets the network progress once, which runs what has come; where that is not possible, only runs
 *  what has come. Returns 0 if there was nothing. */
static inline unsigned pgasi_am_progress(void)
{
    if (!pgasi_net_is_up || !pgasi_net_progress_begin())
        return pgasi_am_poll();
    unsigned count = pgasi_net_progress();
    pgasi_net_progress_end(false);
    return count;
}

/** Sleeps like pgasi_event_sleep, and wakes up for a message, too; what has come is not run. True
 * if the value is not `old` any more. */
bool pgasi_am_sleep(pgasi_event_t *event, uint32_t old, unsigned microseconds);

/** How long a thread has waited for room; starts with `describe` alone, and ends with
 *  pgasi_watch_end. */
typedef struct pgasi_am_patience {
    pgasi_describe_t *describe;
    unsigned idle;
    pgasi_watch_t watch;
} pgasi_am_patience_t;

/** Runs what has come and lets the network progress; if there was nothing, spins, yields or sleeps
 *  for up to a millisecond, by how often there was nothing before. */
void pgasi_am_give_way(pgasi_am_patience_t *patience);

#endif
