/**
 * Numbered puts at the target, and their acknowledgements.
 */
#ifndef PGASI_NET_UCX_TARGET_PUT_H
#define PGASI_NET_UCX_TARGET_PUT_H

#include <stdbool.h>

#include <ucp/api/ucp.h>

#include "net/ucx/arrivals.h"
#include "net/ucx/target_signal.h"

/** The numbered messages that have come from an agent (base/agent.h) of a thread, and the way back
 * to it. */
typedef struct pgasi_ucx_source {
    pgasi_arrivals_t arrivals;
    ucp_ep_h reply_to;
    pgasi_ucx_held_t held;
    /** Of a main thread: the thread's other agents, from number 1 on, as many as have been seen. */
    struct pgasi_ucx_source *agents;
    uint32_t agents_count;
} pgasi_ucx_source_t;

/** By thread, of its main thread. Only the thread that progresses the target worker touches them.
 */
extern pgasi_ucx_source_t *pgasi_ucx_sources;

/** Allocates the table; false if there is no memory. */
bool pgasi_ucx_target_put_init(void);

/** Makes the target worker accept numbered puts. */
ucs_status_t pgasi_ucx_target_put_start(void);

/** Notes that a numbered message that wants no acknowledgement is in place; false if there is no
 *  such source or agent. */
bool pgasi_ucx_target_put_arrived(uint32_t source, uint32_t agent, uint64_t number);

void pgasi_ucx_target_put_finalize(void);

#endif
