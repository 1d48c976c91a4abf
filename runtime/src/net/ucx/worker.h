/**
 * The UCX workers of a thread.
 *
 * Each agent (base/agent.h) has an initiator worker, which is its alone (initiator.h): requests
 * leave through it and replies come back to it. The target worker receives requests and messages,
 * and messages leave through it: active messages, signals and other one-way ones. The background
 * worker, created on first use, sends what must proceed whatever the main thread does: large
 * transfers, puts on behalf of others, and messages to target workers to which there is no
 * connection yet. One thread at a time progresses these two (progress_lock.h): the main thread
 * while it waits, else the progress thread.
 *
 * Nobody connects to an initiator or a background worker, and of two target workers only that of
 * the lower-numbered thread connects to the other; messages travel there and back on that
 * connection. UCX 1.13 over TCP does not cope with two workers that connect to each other at the
 * same time.
 *
 * The files of this folder in the order of dependence; each uses only those above it:
 *
 *   rma_path       whether puts and gets go by remote memory access (knows no job)
 *   resource       what UCT finds on the host (knows no job)
 *   transport      what the transports say of themselves (knows no job)
 *   wire           the active messages and their headers
 *   arrivals       which numbered messages have arrived (knows no network)
 *   held           signals that wait for messages before them (knows no network)
 *   worker         the workers, and which messages they accept
 *   files          the limit of open files
 *   log            what UCX itself reports
 *   failure        lost connections
 *   initiator      what an agent has under way
 *   endpoint       addresses and endpoints
 *   pool           send descriptors
 *   post           sends messages, receives payloads
 *   numbered       puts that are numbered, and acknowledged many at a time
 *   pending        operations with a completion of their own
 *   progress_lock  which thread progresses the target and the background worker
 *   interval       the periodic callback
 *   background     what the background worker has to do
 *   sleep          sleeping until a worker has something to do
 *   beside         what the progress thread goes on with beside the network
 *   progress_thread
 *   am_client      who takes active messages
 *   progress       progress and waiting in the main thread (net.h)
 *   credit         bounds what the initiator has under way
 *   outgoing       messages that any thread sends and that arrive whatever it does
 *   bundle         short messages of one kind that travel together
 *   aggregate      small transfers that travel together
 *   rma_memory     memory that others may reach, and the keys to it
 *   rma_keys       an agent's keys to remote memory
 *   rma            puts and gets by remote memory access
 *   attach         the initiators of agents come and go (net.h)
 *   large          large transfers, and those between two other threads
 *   message        one-way messages and puts with an event (net.h)
 *   signal_bundle  small puts with a signal that travel together
 *   signal         puts with a signal (net.h)
 *   request        checks requests and replies to them
 *   am_bundle      short active messages that travel together
 *   am             active messages (net.h)
 *   packed         reads aggregated transfers at the target
 *   target_signal  signals at the target
 *   target_put     numbered puts at the target
 *   target_large   large puts and copies at the target
 *   target         everything else at the target
 *   operations     operations as net.h promises them
 *   start          start and end of the network (net.h)
 */
#ifndef PGASI_NET_UCX_WORKER_H
#define PGASI_NET_UCX_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include <ucp/api/ucp.h>

extern ucp_context_h pgasi_ucx_context;
extern ucp_worker_h pgasi_ucx_target;
/** NULL until something is sent through it. */
extern ucp_worker_h pgasi_ucx_background;

/** What the background worker has to do: operations that have been posted and are not done,
 * messages that are not sent yet. For the thread that progresses it. */
extern uint32_t pgasi_ucx_background_awaited;

/** Whether it is to be progressed. */
static inline bool pgasi_ucx_background_is_busy(void)
{
    return pgasi_ucx_background_awaited > 0;
}

/** Messages that the target worker has not sent yet. For the thread that progresses it. */
extern uint32_t pgasi_ucx_target_sending;

/** Whether something may have been sent through it since it was last flushed. */
extern bool pgasi_ucx_background_has_sent;

/** Creates a worker, which drops all messages until pgasi_ucx_accept. */
ucs_status_t pgasi_ucx_worker_create(ucs_thread_mode_t mode, ucp_worker_h *worker);

/** Makes a worker hand messages of one kind to `handler`, with `arg`. */
ucs_status_t pgasi_ucx_accept(ucp_worker_h worker, unsigned id, ucp_am_recv_callback_t handler,
                              void *arg);

/** Progresses a worker once; 0 if nothing has happened. */
unsigned pgasi_ucx_worker_progress(ucp_worker_h worker);

/** Whether the calling OS thread is below pgasi_ucx_worker_progress: in a handler or a callback. */
bool pgasi_ucx_is_in_progress(void);

/** From here on the calling OS thread does not call the network: it is inside UCX, and ends the
 *  job. */
void pgasi_ucx_stay_out(void);

#endif
