/**
 * The attached operating-system threads of this process (pgas/attach.h), *agents* for short: their
 * numbers, and what each has counted.
 *
 * What belongs to an agent lies in thread-local variables of the files that use it. Each of those
 * files has a function that is called, in the thread, when it detaches (job/attach.c).
 */
#ifndef PGASI_BASE_AGENT_H
#define PGASI_BASE_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include <pgas/attach.h>
#include <pgas/detail.h>

/** Whether the main thread has attached, so that others may be in the runtime beside the calling
 * one. Only the main thread writes it, when there are no others: by pgasi_agents_stop to false. */
extern bool pgasi_is_shared;

/** The calling agent's number; 0: the main thread. Given again when the agent has detached. */
extern _Thread_local uint32_t pgasi_agent __attribute__((tls_model("initial-exec")));

typedef enum pgasi_agent_made {
    PGASI_AGENT_IS_MADE,
    PGASI_AGENT_NO_MEMORY,
    PGASI_AGENT_NO_NUMBER,
    /** The main thread has not attached. */
    PGASI_AGENT_NO_SHARING
} pgasi_agent_made_t;

/** Makes the calling thread an agent, with the lowest number that is free and counters of its own.
 */
pgasi_agent_made_t pgasi_agent_create(void);

/** The calling thread is no agent any more; its counts are kept. */
void pgasi_agent_destroy(void);

/** How many agents there are beside the main thread. */
uint32_t pgasi_agents(void);

/** No thread becomes an agent any more, unless there are some: returns how many. */
uint32_t pgasi_agents_stop(void);

/** Calls `visit` for the counters of the main thread, of each agent, of all that have detached, and
 * those beside; none of the latter come or go meanwhile. */
void pgasi_agents_visit(void (*visit)(pgasi_peer_t *peers, void *argument), void *argument);

/** Counters beside those of the agents, the same each time: for what the progress thread does in
 * the name of one, in turns (turn.h). Ends the job if there is no memory. */
pgasi_peer_t *pgasi_agents_beside(void);

/** Forgets what those have counted that have detached, and what is beside. */
void pgasi_agents_finish(void);

#endif
