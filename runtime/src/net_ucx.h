/**
 * What the files of the UCX network share.
 *
 *   net_ucx.c          operations as net.h promises them
 *   net_ucx_pending.c  what the main thread has started, and how it completes
 *   net_ucx_bundle.c   small transfers that travel together
 *   net_ucx_connect.c  context, workers, addresses, endpoints, lost connections
 *   net_ucx_post.c     messages on their way
 *   net_ucx_serve.c    what the serving worker does for others
 *   net_ucx_log.c      what UCX itself has to say
 *   net_ucx_drive.c    who drives the serving worker, the progress thread, waiting
 *
 * Two UCX workers per thread. The initiating worker is the main thread's alone: requests leave
 * through it and answers come back to it. The serving worker receives requests and messages; its
 * one driver at a time is the main thread while it waits, else the progress thread. Messages (not
 * requests) leave through a third one, the speaking worker, made when the first is sent; it belongs
 * to the serving one's driver, so that they arrive whatever the main thread does.
 *
 * Nobody connects to an initiating or a speaking worker, and a serving one connects to nobody: two
 * workers that connect to each other at the same time are more than UCX 1.13 copes with over TCP.
 */
#ifndef PGASI_NET_UCX_H
#define PGASI_NET_UCX_H

#include <stdbool.h>
#include <stdint.h>

#include <ucp/api/ucp.h>

#include "net.h"
#include "wait.h"

/** Active messages. The first eight go to a serving worker, the last two to an initiating one. */
enum {
    PGASI_UCX_PUT,
    PGASI_UCX_PUTS,
    PGASI_UCX_GET,
    PGASI_UCX_GETS,
    PGASI_UCX_ATOMIC,
    PGASI_UCX_CALL,
    PGASI_UCX_MESSAGE,
    PGASI_UCX_SIGNAL,
    PGASI_UCX_ACK,
    PGASI_UCX_ANSWER
};

/** Payloads up to this size travel at once, through UCX's buffers; larger ones move from memory to
 *  memory when the receiver has said where to. */
#define PGASI_UCX_EAGER_MAX 98304

/** The most bytes that one message of puts, or one answer to gets, has. */
#define PGASI_UCX_BUNDLE_MAX PGASI_UCX_EAGER_MAX

/** Put: the payload goes to `offset`; `counts` is 1. Puts: the payload is `counts` pieces, each a
 *  pgasi_ucx_piece_t and its bytes, filled up to a multiple of 8; none if only the answer is
 *  wanted. That is wanted when all puts of the source up to number `ack` are done; 0: never. */
typedef struct pgasi_ucx_put {
    uint64_t offset;
    uint64_t ack;
    uint32_t source;
    uint32_t counts;
} pgasi_ucx_put_t;

/** A piece of a bundle: one chunk, or a run of several, of which a pgasi_ucx_run_t follows. */
typedef struct pgasi_ucx_piece {
    /** From the `offset` of the bundle to the first chunk. */
    uint32_t distance;
    /** Bytes of a chunk, and PGASI_UCX_IS_RUN. */
    uint32_t nbytes;
} pgasi_ucx_piece_t;

#define PGASI_UCX_IS_RUN ((uint32_t)1 << 31)

typedef struct pgasi_ucx_run {
    /** Bytes from one chunk to the next. */
    int64_t stride;
    uint64_t count;
} pgasi_ucx_run_t;

static inline size_t pgasi_ucx_padded(size_t nbytes)
{
    return (nbytes + 7) / 8 * 8;
}

/** The answer: puts of the receiver to `thread` up to number `done` are done. */
typedef struct pgasi_ucx_ack {
    uint64_t done;
    uint32_t thread;
} pgasi_ucx_ack_t;

/** Get: `nbytes` from `offset`, which go to `at` in the destination. Gets: the payload is pieces
 * without their bytes; the answer has their bytes one behind the other, `nbytes` in all. */
typedef struct pgasi_ucx_get {
    uint64_t token;
    uint64_t at;
    uint64_t offset;
    uint64_t nbytes;
} pgasi_ucx_get_t;

typedef struct pgasi_ucx_atomic {
    uint64_t token;
    uint64_t offset;
    uint64_t operand;
    uint64_t compare;
    uint32_t atomic;
    uint32_t nbytes;
} pgasi_ucx_atomic_t;

/** A call or a message; the payload is the request. A message has token 0. */
typedef struct pgasi_ucx_call {
    uint64_t token;
    uint32_t source;
    uint32_t service;
} pgasi_ucx_call_t;

/** A piece of a put with a signal: the payload goes to `offset`, then the event is raised by 1. */
typedef struct pgasi_ucx_signal {
    uint64_t offset;
    uint64_t event;
} pgasi_ucx_signal_t;

/** The answer to a get, an atomic or a call: the payload belongs to `at` in the destination of
 *  `token`. */
typedef struct pgasi_ucx_answer {
    uint64_t token;
    uint64_t at;
} pgasi_ucx_answer_t;

/** A message on its way: UCX wants its header, and a short payload of our own, kept until it is
 *  sent. Each worker has a pool, used by the worker's driver alone. */
typedef struct pgasi_ucx_parcel {
    struct pgasi_ucx_parcel *next;
    struct pgasi_ucx_pool *pool;
    uint32_t thread;
    union {
        pgasi_ucx_put_t put;
        pgasi_ucx_ack_t ack;
        pgasi_ucx_get_t get;
        pgasi_ucx_atomic_t atomic;
        pgasi_ucx_call_t call;
        pgasi_ucx_signal_t signal;
        pgasi_ucx_answer_t answer;
    } header;
    /** PGASI_NET_MESSAGE_MAX bytes, or what the pool's owner wants. */
    unsigned char payload[];
} pgasi_ucx_parcel_t;

/** The parcels of one kind; starts with the size of their payload, and with what counts those that
 * UCX is still sending, or NULL. */
typedef struct pgasi_ucx_pool {
    size_t payload_size;
    uint32_t *sending;
    /** Those that are not in use, and how many are. */
    pgasi_ucx_parcel_t *first;
    uint32_t in_use;
} pgasi_ucx_pool_t;

extern ucp_context_h pgasi_ucx_context;
extern ucp_worker_h pgasi_ucx_initiating;
extern ucp_worker_h pgasi_ucx_serving;
/** NULL until something is sent through it. */
extern ucp_worker_h pgasi_ucx_speaking;

/** What the initiating worker has to do: answers that are awaited, messages that are not sent yet.
 *  While it is 0 nobody need look at that worker. */
extern uint32_t pgasi_ucx_awaited;

/** Messages that the speaking worker has not sent yet: while it is 0 nobody need look at it. */
extern uint32_t pgasi_ucx_unsent;

/* net_ucx_connect.c */

/** Unknown thread, for pgasi_ucx_lost. */
#define PGASI_UCX_NOBODY UINT32_MAX

/** An endpoint of the initiating worker to a thread's serving worker, made on first use. */
ucp_ep_h pgasi_ucx_endpoint(uint32_t thread);

/** The same of the speaking worker, for its driver. */
ucp_ep_h pgasi_ucx_speaking_endpoint(uint32_t thread);

/** Whether a lost connection is no failure any more. */
bool pgasi_ucx_end_is_expected(void);

/** Ends the job for a failure of the network, unless the end is expected. */
void pgasi_ucx_lost(uint32_t thread, const char *call, ucs_status_t status);

/* net_ucx_post.c */

/** Sends a parcel, and a payload of any length, which must stay until it is sent. */
void pgasi_ucx_post(ucp_ep_h ep, unsigned id, pgasi_ucx_parcel_t *parcel, size_t header_size,
                    const void *payload, size_t nbytes, unsigned flags);

/** The same for a request: through the initiating worker, with a way back for the answer. */
void pgasi_ucx_request(uint32_t thread, unsigned id, pgasi_ucx_parcel_t *parcel, size_t header_size,
                       const void *payload, size_t nbytes);

/** Has the payload that `data` announces put to `buffer`, for a message that UCX has not brought
 * yet (UCP_AM_RECV_ATTR_FLAG_RNDV). True if it is there; else `done` is called later. */
bool pgasi_ucx_fetch(ucp_worker_h worker, void *data, void *buffer, size_t nbytes,
                     ucp_am_recv_data_nbx_callback_t done, void *user_data);

/** A parcel from a pool; pgasi_ucx_post gives it back. */
pgasi_ucx_parcel_t *pgasi_ucx_parcel(pgasi_ucx_pool_t *pool, uint32_t thread);

/** Gives a parcel back to its pool. */
void pgasi_ucx_parcel_free(pgasi_ucx_parcel_t *parcel);

/** Makes a worker hand messages of one kind to `handler`. */
ucs_status_t pgasi_ucx_accept(ucp_worker_h worker, unsigned id, ucp_am_recv_callback_t handler);

/** Frees a pool. */
void pgasi_ucx_pool_free(pgasi_ucx_pool_t *pool);

/* net_ucx.c */

/** Frees what operations keep. */
void pgasi_ucx_operations_finalize(void);

/* net_ucx_pending.c */

/** Makes the initiating worker accept answers. */
ucs_status_t pgasi_ucx_answers_start(void);

void pgasi_ucx_answers_finalize(void);

/* net_ucx_serve.c */

/** Prepares serving; false without memory. */
bool pgasi_ucx_serve_init(void);

/** Makes the serving worker accept requests. */
ucs_status_t pgasi_ucx_serve_start(void);

void pgasi_ucx_serve_finalize(void);

/** Sends a message through the speaking worker, which the caller drives. */
void pgasi_ucx_send(uint32_t thread, unsigned service, const void *message, size_t nbytes);

/** The same for a put with a signal. */
void pgasi_ucx_send_signal(pgas_ptr_t dst, const void *src, size_t nbytes, uint64_t event);

/* net_ucx_log.c */

/** Has UCX tell what it has to say as the runtime does, unless the user has set up its log
 *  (UCX_LOG_LEVEL, UCX_LOG_FILE). */
void pgasi_ucx_log_start(void);

/** Tells an error of UCX's that is `after` milliseconds old and not told yet. */
void pgasi_ucx_log_held(unsigned after);

/** How long a launcher may take to end a job of which a thread has died, in milliseconds. */
#define PGASI_UCX_GRACE_MS 2000

/* net_ucx_drive.c */

pgas_status_t pgasi_ucx_drive_start(void);
void pgasi_ucx_drive_stop(void);

/** Waits until `is_done(argument)`; drives everything meanwhile. `milliseconds` 0: no limit. False
 * if the limit has passed. `describe` as for pgasi_event_wait. */
bool pgasi_ucx_wait(bool (*is_done)(const void *argument), const void *argument,
                    unsigned milliseconds, pgasi_describe_t *describe);

#endif
