/**
 * What travels: the active messages of the UCX network and their headers.
 *
 * Every header begins with the job's secret. A message without it does not come from the
 * job, and is dropped before anything else of it is looked at (pgasi_ucx_open). Headers have no
 * padding, so that no byte is sent that was never written.
 */
#ifndef PGASI_NET_UCX_WIRE_H
#define PGASI_NET_UCX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/net.h"

/** Messages to a target worker. The first four are numbered puts; so are pieces that are signals,
 *  and large puts that have a number. */
enum {
    /** The payload goes to one place. */
    PGASI_UCX_PUT,
    /** The payload is pieces, each with its place; none if only the acknowledgement is wanted. */
    PGASI_UCX_PUTS,
    /** Bytes of one value. */
    PGASI_UCX_SET,
    /** The payload goes to one place, and a signal follows, when all before it are there too. */
    PGASI_UCX_PUT_SIGNAL,
    PGASI_UCX_GET,
    PGASI_UCX_GETS,
    PGASI_UCX_CALL,
    PGASI_UCX_MESSAGE,
    /** The payload goes to one place, and then the message in the header to its service. */
    PGASI_UCX_MESSAGE_PUT,
    PGASI_UCX_EVENT,
    /** A put with a completion of its own, of any size; numbered if a signal follows it. */
    PGASI_UCX_LARGE_PUT,
    /** Makes the receiver put to a third thread. */
    PGASI_UCX_COPY,
    /** That put, on behalf of the initiator. */
    PGASI_UCX_FORWARD,
    /** To the initiator: a part of its copy is done. */
    PGASI_UCX_DONE,
    /** An active message; the payload is the message's. */
    PGASI_UCX_AM,
    /** A short one in few bytes; no payload. */
    PGASI_UCX_AM_BRIEF,
    /** Several; the payload is a pgasi_net_am_t and the bytes of each, filled up to a multiple
     * of 8.
     */
    PGASI_UCX_AMS,
    /** Small puts with signals; the payload is a pgasi_ucx_signal_item_t for each, and its bytes,
     *  filled up to a multiple of 8. */
    PGASI_UCX_PUT_SIGNALS,
    /** These two to the worker that sent a request. */
    PGASI_UCX_ACK,
    PGASI_UCX_REPLY,
    PGASI_UCX_MESSAGES
};

/** Payloads up to this size travel at once, through UCX's buffers; larger ones move from memory to
 *  memory when the receiver has said where to, and arrive later than what is sent after them. */
#define PGASI_UCX_EAGER_MAX 98304

/** Less than so many whole replies of `part` bytes has a get: who serves it does nothing else
 *  meanwhile. */
#define PGASI_UCX_REPLIES_MAX 12

/** What a numbered message begins with. They are numbered from 1 for each target and each agent of
 *  the source (base/agent.h). */
typedef struct pgasi_ucx_numbered {
    uint64_t secret;
    uint64_t number;
    uint32_t source;
    uint16_t agent;
    /** 1: acknowledge all messages up to this one as soon as they are there. */
    uint16_t wants_ack;
} pgasi_ucx_numbered_t;

typedef struct pgasi_ucx_put {
    pgasi_ucx_numbered_t numbered;
    uint64_t offset;
} pgasi_ucx_put_t;

/** The payload has `count` pieces, each a pgasi_ucx_piece_t and its bytes, filled up to a multiple
 *  of 8. Their places count from `offset`. */
typedef struct pgasi_ucx_puts {
    pgasi_ucx_numbered_t numbered;
    uint64_t offset;
    uint64_t count;
} pgasi_ucx_puts_t;

typedef struct pgasi_ucx_set {
    pgasi_ucx_numbered_t numbered;
    uint64_t offset;
    uint64_t nbytes;
    uint64_t value;
} pgasi_ucx_set_t;

/** Never wants an acknowledgement: it does not come from the worker that those go to. */
typedef struct pgasi_ucx_put_signal {
    pgasi_ucx_numbered_t numbered;
    uint64_t offset;
    pgasi_net_signal_t signal;
} pgasi_ucx_put_signal_t;

/** One of several that travel together. */
typedef struct pgasi_ucx_signal_item {
    pgasi_ucx_put_signal_t put;
    uint64_t nbytes;
} pgasi_ucx_signal_item_t;

/** One chunk, or a strided run of them, of which a pgasi_ucx_run_t follows; or an atomic operation
 *  on a word, of which the operands follow: in gets the reply has the old value, in puts nobody
 *  wants it. */
typedef struct pgasi_ucx_piece {
    /** From the `offset` of the message to the first chunk. */
    uint32_t distance;
    /** Bytes of a chunk, and PGASI_UCX_IS_RUN; or PGASI_UCX_IS_ATOMIC, operation and type. */
    uint32_t nbytes;
} pgasi_ucx_piece_t;

#define PGASI_UCX_IS_RUN ((uint32_t)1 << 31)
#define PGASI_UCX_IS_ATOMIC ((uint32_t)1 << 30)
#define PGASI_UCX_OP_SHIFT 8

/** What follows the piece of an atomic operation: without `compare`, unless the operation is
 *  PGAS_COMPARE_SWAP. */
typedef struct pgasi_ucx_operands {
    uint64_t operand;
    uint64_t compare;
} pgasi_ucx_operands_t;

static inline size_t pgasi_ucx_operands_size(uint32_t op)
{
    return op == PGAS_COMPARE_SWAP ? sizeof(pgasi_ucx_operands_t) : sizeof(uint64_t);
}

typedef struct pgasi_ucx_run {
    /** Bytes from one chunk to the next. */
    int64_t stride;
    uint64_t count;
} pgasi_ucx_run_t;

static inline size_t pgasi_ucx_padded(size_t nbytes)
{
    return (nbytes + 7) / 8 * 8;
}

/** All numbered messages of the receiver to `thread` up to number `done` are done. */
typedef struct pgasi_ucx_ack {
    uint64_t secret;
    uint64_t done;
    uint64_t thread;
} pgasi_ucx_ack_t;

/** Get: `nbytes` from `offset`, which go to `at` in the destination, in replies of `part` bytes, or
 * in one if that is 0. Gets: the payload is pieces without their bytes; the reply has their bytes
 * one behind the other, `nbytes` in all. */
typedef struct pgasi_ucx_get {
    uint64_t secret;
    uint64_t token;
    uint64_t at;
    uint64_t offset;
    uint64_t nbytes;
    uint64_t part;
} pgasi_ucx_get_t;

/** A call or a message; the payload is the request. A message has token 0. */
typedef struct pgasi_ucx_call {
    uint64_t secret;
    uint64_t token;
    uint32_t source;
    uint32_t service;
} pgasi_ucx_call_t;

/** A message with a put to `offset`, whose bytes are the payload. */
typedef struct pgasi_ucx_message_put {
    uint64_t secret;
    uint64_t offset;
    uint32_t source;
    uint16_t service;
    uint16_t nbytes;
    unsigned char message[PGASI_NET_PUT_MESSAGE_MAX];
} pgasi_ucx_message_put_t;

/** A piece of a put of thread `source` with an event: the payload goes to `offset`, then the event
 * is raised by 1. */
typedef struct pgasi_ucx_event {
    uint64_t secret;
    uint64_t offset;
    uint64_t event;
    uint64_t source;
} pgasi_ucx_event_t;

/** A large put. Forwarded: the receiver tells `initiator` when the payload is there. `number` is
 *  its number among the messages of the initiator's agent; 0: none. */
typedef struct pgasi_ucx_large_put {
    uint64_t secret;
    uint64_t token;
    uint64_t offset;
    uint32_t initiator;
    uint32_t agent;
    uint64_t number;
} pgasi_ucx_large_put_t;

typedef struct pgasi_ucx_copy {
    uint64_t secret;
    uint64_t token;
    /** Of the receiver, and of thread `thread`. */
    uint64_t from;
    uint64_t to;
    uint64_t nbytes;
    uint32_t initiator;
    uint32_t thread;
} pgasi_ucx_copy_t;

/** The reply to a request, and that a part of a copy is done: a payload belongs to `at` in the
 *  destination of `token`. */
typedef struct pgasi_ucx_reply {
    uint64_t secret;
    uint64_t token;
    uint64_t at;
} pgasi_ucx_reply_t;

/** Only the arguments that there are travel. */
typedef struct pgasi_ucx_am {
    uint64_t secret;
    pgasi_net_am_t am;
} pgasi_ucx_am_t;

static inline size_t pgasi_ucx_am_size(unsigned nargs)
{
    return offsetof(pgasi_ucx_am_t, am.args) + nargs * sizeof(int32_t);
}

/**
 * A short active message in few bytes. Where UCX's messages lie in shared memory, this, UCX's own
 * header and up to four arguments fill one line of the cache: the receiver would wait for a second
 * one by itself.
 *
 * `what` has, from its lowest bit, the source in 16 bits, the handler in 11, whether it is a reply
 * in one, and the credits in 4. Messages that do not fit in there are sent whole.
 */
typedef struct pgasi_ucx_am_brief {
    uint64_t secret;
    uint32_t what;
    int32_t args[PGASI_NET_AM_ARGS];
} pgasi_ucx_am_brief_t;

/** Makes a brief one of a message of kind 0 without a payload; returns the length of its header. 0:
 *  it does not fit. */
size_t pgasi_ucx_am_shorten(const pgasi_net_am_t *am, pgasi_ucx_am_brief_t *brief);

typedef union pgasi_ucx_header {
    uint64_t secret;
    pgasi_ucx_numbered_t numbered;
    pgasi_ucx_put_t put;
    pgasi_ucx_puts_t puts;
    pgasi_ucx_set_t set;
    pgasi_ucx_put_signal_t put_signal;
    pgasi_ucx_ack_t ack;
    pgasi_ucx_get_t get;
    pgasi_ucx_call_t call;
    pgasi_ucx_message_put_t message_put;
    pgasi_ucx_event_t event;
    pgasi_ucx_large_put_t large_put;
    pgasi_ucx_copy_t copy;
    pgasi_ucx_reply_t reply;
    pgasi_ucx_am_t am;
} pgasi_ucx_header_t;

/** A token has this bit, which no other kind of handle has. */
#define PGASI_UCX_IS_OPERATION ((uint64_t)1 << 63)

/** Known to the threads of the job, by the launcher's exchange, and to nobody else. */
extern uint64_t pgasi_ucx_secret;

/** Copies a header that has come to `header`, which takes `size` bytes. False for one that
 *  is not of the job, or not of this kind: the message is to be dropped. */
bool pgasi_ucx_open(const void *bytes, size_t nbytes, void *header, size_t size);

/** The same for an active message, which has as many arguments as its header says. */
bool pgasi_ucx_open_am(const void *bytes, size_t nbytes, pgasi_ucx_am_t *header);

/** The same for a brief one, of which it makes the whole message. */
bool pgasi_ucx_open_brief(const void *bytes, size_t nbytes, pgasi_net_am_t *am);

/** Reports, once, that a message has been dropped, and why. */
void pgasi_ucx_dropped(const char *why);

#endif
