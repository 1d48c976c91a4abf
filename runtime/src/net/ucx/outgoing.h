/**
 * Messages that any thread sends and that arrive whatever it does: from target worker to target
 * worker (endpoint.h), so that those there and back share a connection; through the background
 * worker as long as there is none, or if there is no progress thread. Now, or when the progressing
 * thread comes to them (background.h). On a TCP connection that carries messages one way only, the
 * receiver acknowledges them by packets of their own, which cost a short round trip a third of its
 * time.
 */
#ifndef PGASI_NET_UCX_OUTGOING_H
#define PGASI_NET_UCX_OUTGOING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ucp/api/ucp.h>

#include "net/ucx/wire.h"

/** One on its way out. Any thread makes one, and the thread that progresses the background worker
 *  frees it. */
typedef struct pgasi_ucx_outgoing {
    pgasi_ucx_header_t header;
    unsigned id;
    uint32_t thread;
    size_t header_size;
    const void *payload;
    size_t nbytes;
    /** Set when it has been sent; NULL: nobody waits. */
    _Atomic bool *is_sent;
    /** The payload comes with the header, however long it is: without the round trip by which the
     *  receiver fetches a long one to its place, but for two copies more. */
    bool is_whole;
    /** It has left through the target worker. */
    bool by_target;
    /** Counts those of its kind that are not sent; NULL: not counted. */
    _Atomic uint32_t *under_way;
    unsigned char copy[];
} pgasi_ucx_outgoing_t;

/** A message without a payload, whose header the caller keeps. */
typedef struct pgasi_ucx_ready {
    unsigned id;
    uint32_t thread;
    const void *header;
    size_t header_size;
} pgasi_ucx_ready_t;

/** Sends one without a copy, if it can leave by the target worker at once; false: it has not. */
bool pgasi_ucx_outgoing_try(const pgasi_ucx_ready_t *ready);

/** Allocates one, with the job's secret and without counter or flag; of the payload it takes a copy
 *  now if `copies`, else the payload stays until it has been sent. A copy of NULL the caller fills.
 */
pgasi_ucx_outgoing_t *pgasi_ucx_outgoing_alloc(uint32_t thread, const void *payload, size_t nbytes,
                                               bool copies);

/** Sends it as a message `id`. */
void pgasi_ucx_outgoing_send(pgasi_ucx_outgoing_t *outgoing, unsigned id, size_t header_size);

/** Frees what is kept. */
void pgasi_ucx_outgoing_finalize(void);

#endif
