/**
 * The initiator side of an agent (base/agent.h): its worker, and what it has under way.
 *
 * Each agent has one; the main thread's is made at the start. The others are made when somebody
 * attaches, and kept when he detaches, for the next: the workers of the others keep a connection
 * to each worker that has ever sent them a request. Only the agent uses its initiator, but for
 * `returned`.
 */
#ifndef PGASI_NET_UCX_INITIATOR_H
#define PGASI_NET_UCX_INITIATOR_H

#include <stdbool.h>
#include <stdint.h>

#include <ucp/api/ucp.h>

#include "net/ucx/pool.h"

typedef struct pgasi_ucx_initiator {
    /** All that there are, in use or not. */
    struct pgasi_ucx_initiator *next;
    /** The agent's number. Another agent of the same number goes on where the last one stopped. */
    uint32_t agent;
    /** Requests leave through it and replies come back to it. */
    ucp_worker_h worker;
    int fd;
    /** What the worker has to do: replies that are awaited, messages that are not sent yet. While
     *  it is 0 nobody need progress it. */
    uint32_t awaited;
    /** Short requests in a row, without progress in between (am_bundle.h). */
    unsigned sent_in_a_row;
    /** Signals in a row to the thread signalled last, likewise (signal_bundle.h). */
    unsigned signals_in_a_row;
    uint32_t signalled;
    /** By thread: endpoints (endpoint.c), numbers of messages (numbered.h), small transfers that
     *  wait to travel together (aggregate.c). */
    ucp_ep_h *endpoints;
    struct pgasi_ucx_target *targets;
    struct pgasi_ucx_waiting *waiting;
    /** Descriptions of aggregated gets: those not in use, and all. */
    struct pgasi_ucx_gets *unused_gets;
    struct pgasi_ucx_gets *created_last;
    /** Descriptors of requests that travel alone, of aggregation buffers (PGASI_UCX_EAGER_MAX
     *  bytes), and of replies that arrive in memory. Those of the first two that UCX is still
     *  sending count against the credit (credit.h), and so do requests for gets without a reply. */
    pgasi_ucx_pool_t requests;
    pgasi_ucx_pool_t buffers;
    pgasi_ucx_pool_t fetching;
    _Atomic uint32_t gets_under_way;
    /** Nothing waits for credit, and gets count here instead (pgasi_net_unbounded). */
    bool is_unbounded;
    _Atomic uint32_t unbounded_under_way;
    /** Entries of operations that are not in use (pending.c), and those that the thread that
     *  progresses the background worker has returned. */
    uint32_t free_entry;
    _Atomic uint32_t returned;
    /** With remote memory access only: the keys (rma_keys.h), and descriptors of what UCX has not
     *  done yet. */
    struct pgasi_ucx_keys *keys;
    pgasi_ucx_pool_t rma;
} pgasi_ucx_initiator_t;

/** The calling agent's; NULL in threads that are not attached. */
extern _Thread_local pgasi_ucx_initiator_t *pgasi_ucx_me __attribute__((tls_model("initial-exec")));

#endif
