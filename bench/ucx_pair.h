/**
 * Two processes that exchange active messages of UCX as a client of it would write them. They are
 * the two threads of a job of Fathom, which does nothing but let them meet.
 */
#ifndef BENCH_UCX_PAIR_H
#define BENCH_UCX_PAIR_H

#include <stddef.h>

#include <ucp/api/ucp.h>

extern ucp_worker_h ucx_pair_worker;

/** Ends the job with a line. */
_Noreturn void ucx_pair_fail(const char *call, ucs_status_t status);

/** The same unless `status` is UCS_OK. */
void ucx_pair_check(const char *call, ucs_status_t status);

/** Creates the worker. */
void ucx_pair_start(void);

/** Makes `handler` take the messages `id`, whole, with `argument`. Before ucx_pair_connect. */
void ucx_pair_serve(unsigned id, ucp_am_recv_callback_t handler, void *argument);

/** Connects to the other process. Collective. */
void ucx_pair_connect(void);

/** Sends without waiting; header and bytes stay as they are until a reply has come. `flags` as for
 *  ucp_am_send_nbx. */
void ucx_pair_post(unsigned id, const void *header, size_t header_size, const void *bytes,
                   size_t nbytes, unsigned flags);

/** Sends all that has been posted. */
void ucx_pair_flush(void);

void ucx_pair_end(void);

#endif
