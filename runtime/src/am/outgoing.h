/**
 * Messages to be sent: to threads of this node by mailboxes (local.h), to those of others by the
 * network (remote.h).
 *
 * Nothing deadlocks and nothing grows. Three kinds of room are limited: slots of a receiver's
 * rings, buffers of a sender, and between nodes the credits of a pair of threads.
 *
 *   1. A handler that runs for a reply sends nothing, and one that runs for a request sends at most
 *      one reply (request.c ends the job otherwise).
 *   2. A handler never waits for room. If the requesting thread's ring of replies, or the buffers
 * for replies, are full, the reply is held back (local.c): the handler returns, and its thread runs
 * no further request from its own node until the reply has left. So it holds back one at most, in
 * memory that is allocated once.
 *   3. A thread that waits for anything runs the handlers of replies, whatever it holds back.
 *   4. A thread that waits and holds nothing back also runs the handlers of requests.
 *
 * All threads wait or poll now and then; nobody is stuck for ever then. Suppose the contrary, and
 * look at a held-back reply. It waits for room in the ring of replies of a thread Z, or for a
 * buffer of replies, which are all on their way to such threads. Z takes replies (3), and their
 * handlers send nothing (1), so they end, make room and free buffers: some held-back reply to Z
 * leaves. Since Z gets no more replies than it has sent requests, each leaves in the end, if only Z
 * goes on waiting; if it does not, it polls when it sends its next request. So nobody holds a reply
 * back for ever, and every thread that waits or polls runs requests again and again (4): rings of
 * requests and buffers of requests become free, and whoever waits for those goes on. Between nodes
 * a reply needs no room: its credit is the request's, which comes back when the handler of the
 * reply has run, or with a message if the request's handler has ended without one.
 *
 * Memory is bounded by what is allocated once on a node, and by the credits between nodes: a pair
 * of threads has requests of at most PGASI_AM_WINDOW under way, or one, by their costs, and replies
 * to no more than those.
 */
#ifndef PGASI_AM_OUTGOING_H
#define PGASI_AM_OUTGOING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shm/mailbox.h"

/** A message to be sent. */
typedef struct pgasi_outgoing {
    uint32_t thread;
    uint32_t handler;
    /** PGASI_AM_SHORT, _MEDIUM or _LONG. */
    uint32_t kind;
    unsigned nargs;
    const int32_t *args;
    const void *payload;
    size_t nbytes;
    /** Of a long one: the place in the receiver's segment. */
    uint64_t offset;
    /** A long one's payload stays until the reply's handler starts. */
    bool is_async;
} pgasi_outgoing_t;

/** What one request takes of the credits, by the bytes that the receiver may have to keep. */
static inline uint32_t pgasi_am_cost(size_t nbytes)
{
    return 1 + (uint32_t)((nbytes < PGASI_BUFFER_LARGE ? nbytes : PGASI_BUFFER_LARGE) /
                          PGASI_BUFFER_SMALL);
}

/** The most credits that a pair of threads has, and how many a receiver returns at once. */
enum {
    PGASI_AM_WINDOW = 128,
    PGASI_AM_RETURNED = 32
};

#endif
