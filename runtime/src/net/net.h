/**
 * The network: reaches the segments and the threads of other nodes. net/ucx/ implements it, or, in
 * a build without a network, net/none.c.
 *
 * It is up only in jobs of several nodes (pgasi_net_is_up); within a node nobody calls it. Agents
 * call all functions (base/agent.h), each for itself; handlers and the progress thread those of
 * them that say so, pgasi_net_send and pgasi_net_send_put. A failure of the network ends the job.
 *
 * Puts and gets go by remote memory access where the network has that, else by messages that the
 * target serves; what this header promises is the same (net/ucx/rma.h has the rule of their order).
 *
 * Two sides (docs/decisions.md, 20). The main thread is the initiator: it starts operations and
 * completes them. The target side, what others request of this thread, belongs to the progressing
 * thread: the main thread while it waits (pgasi_net_progress_begin), else a progress thread that
 * sleeps until something comes.
 */
#ifndef PGASI_NET_NET_H
#define PGASI_NET_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pgas/detail.h>
#include <pgas/types.h>
#include <pgas/word.h>

#include "base/chunks.h"
#include "base/secrets.h"

/** An operation in flight; all zero is a complete one. Costs no memory here: a put is known by its
 *  target and its number, a get by its entry in a table. Bits 61 and 62 are never set. */
typedef struct pgasi_net_handle {
    uint64_t bits;
} pgasi_net_handle_t;

/** An atomic operation (pgas/atomic.h): what is done, on what, with what. */
typedef struct pgasi_net_atomic {
    pgas_atomic_op_t op;
    pgas_type_t type;
    uint64_t operand;
    uint64_t compare;
} pgasi_net_atomic_t;

/** What the layers above serve to other nodes. */
typedef enum pgasi_net_service {
    PGASI_SERVICE_BARRIER,
    PGASI_SERVICE_TEAM,
    PGASI_SERVICE_HEAP,
    PGASI_SERVICE_LOCK,
    PGASI_SERVICE_ENDING,
    PGASI_SERVICE_HEARTBEAT,
    /** The network's own. */
    PGASI_SERVICE_KEY,
    PGASI_SERVICES
} pgasi_net_service_t;

/** The longest time, in milliseconds, for which a thread that progresses the network sleeps, and
 * the interval of the periodic callback. */
#define PGASI_NET_INTERVAL_MS 100

/** The largest message, and the largest reply, in bytes. */
#define PGASI_NET_MESSAGE_MAX 256

/**
 * Serves one request or message of `nbytes` bytes from thread `source`. For a call it writes its
 * reply to `reply`, which takes PGASI_NET_MESSAGE_MAX bytes, and returns the length; for a message
 * `reply` is NULL and the return value is ignored. The reply to a request that it does not know is
 * empty.
 *
 * Runs in the progressing thread, often the progress thread: it must be safe beside the main
 * thread, must not wait for the network, and may call pgasi_net_send and pgasi_net_send_put.
 */
typedef size_t pgasi_net_handler_t(uint32_t source, const void *request, size_t nbytes,
                                   void *reply);

/** Resets the handlers of fatal signals. The network's library sets them when it is loaded, to
 * print a backtrace of its own; a user who wants that sets UCX_HANDLE_ERRORS. In any job. */
void pgasi_net_leave_crashes_alone(void);

/** True between pgasi_net_start and pgasi_net_finalize in a job of several nodes. */
extern bool pgasi_net_is_up;

/**
 * Prepares the network and publishes this thread's address; the next boot exchange makes it known.
 * `one_host`: all threads of the job are on this host, so that the loopback device is enough.
 * Returns PGAS_ERR_UNSUPPORTED in a build without a network.
 */
pgas_status_t pgasi_net_init(bool one_host);

/**
 * Makes memory for the node's segments that other nodes can reach by remote memory access
 * (PGAS_SEGMENT=ucx): returns a descriptor of its file of `nbytes` bytes, which the caller closes.
 * -1, and a line has been logged: it cannot. Between pgasi_net_init and pgasi_net_start; the
 * caller's own mappings of the file outlive the network.
 */
int pgasi_net_memory_open(uint64_t nbytes);

/** The transport by which puts and gets reach the memory of other nodes without help from there;
 *  NULL: they are messages. */
const char *pgasi_net_rma(void);

/** How many puts, gets and atomic operations of this process have gone so since the last reset. */
uint64_t pgasi_net_rma_operations(void);
void pgasi_net_rma_reset(void);

/** Declares who serves `service`. Between pgasi_net_init and pgasi_net_start. */
void pgasi_net_serve(pgasi_net_service_t service, pgasi_net_handler_t *handler);

/** To be called at least three times in so many milliseconds: true if for as long, as far as these
 *  calls have seen, the host of a connection over TCP has acknowledged nothing of what is on its
 * way to it; `address` receives that, in text. Never without the gate (PGAS_GATE). By who
 * progresses the network. */
bool pgasi_net_is_cut(uint64_t milliseconds, char *address, size_t size);

/** Sets the periodic callback: the progressing thread calls `tick` about every
 *  PGASI_NET_INTERVAL_MS, never two at a time. It may call pgasi_net_send. Without a progress
 * thread (PGAS_PROGRESS=poll) it is never called. Before pgasi_net_start. */
void pgasi_net_every_interval(void (*tick)(void));

/**
 * What the progress thread goes on with beside the network: operations of an upper folder that are
 * in flight. It has the progress lock then.
 */
typedef struct pgasi_net_beside {
    /** Does what can be done now and returns how much that was; `*longest` becomes how long it may
     *  sleep then, in microseconds, 0: for any time. */
    unsigned (*progress)(unsigned *longest);
    /** Whether anything is in flight that no agent waits for, by loads that are sequentially
     *  consistent. */
    bool (*is_any)(void);
    /** Frees what the progress thread has, when it ends. */
    void (*finish)(void);
} pgasi_net_beside_t;

/** Whether there is a progress thread. */
bool pgasi_net_has_progress_thread(void);

/** Gives it something to go on with; before the first operation. Ends the job if there is no memory
 *  for an initiator that the threads which take turns with it share (base/turn.h). */
void pgasi_net_beside_install(const pgasi_net_beside_t *beside);

/** Makes it look at once, and, the other one, if it sleeps for any time and something is in flight:
 *  what the caller has made known, or messages of which the progress thread has not heard. */
void pgasi_net_beside_alert(void);
void pgasi_net_beside_rouse(void);

/** From here to the end, puts and gets of the caller, whose turn it is, are the shared initiator's;
 *  the begin returns what the end takes. They then complete whoever has the turn. */
void *pgasi_net_beside_begin(void);
void pgasi_net_beside_end(void *own);

/** Between the two: lets what the shared initiator has under way progress, and prepares the
 * progress thread's sleep, which it ends: false if there is something to do. */
unsigned pgasi_net_beside_progress(void);
bool pgasi_net_beside_arm(void);

/** Whether nobody but threads of the job gets a connection, where there are connections. After
 *  pgasi_net_init; the same in all threads, or they cannot connect. */
bool pgasi_net_has_gate(void);

/** Starts the target side: after the boot exchange, when all that others may request is in place.
 *  `secrets` are the job's: a message or a connection without them is dropped. */
pgas_status_t pgasi_net_start(const pgasi_secrets_t *secrets);

/** From here on a lost connection is no failure: the others may have left already. */
void pgasi_net_expect_end(void);

/** Ends the target side and closes all connections, when no thread needs this one any more. */
void pgasi_net_finalize(void);

/** An offset that pgasi_net_lend has given has this bit, and no offset of a segment does. */
#define PGASI_NET_IS_LENT ((uint64_t)1 << 62)

static inline bool pgasi_net_is_lent(uint64_t offset)
{
    return (offset & PGASI_NET_IS_LENT) != 0;
}

/**
 * Lends `nbytes` bytes of the calling process's private memory: until they are given back other
 * nodes read them by pgasi_net_get_nb, from the offset that is returned on, as if they lay in its
 * segment. 0: not now, or not by this network. They must not change meanwhile.
 */
uint64_t pgasi_net_lend(const void *src, size_t nbytes);

/** Takes them back, when all gets of them are complete. */
void pgasi_net_lent_back(uint64_t offset);

/** Their address, in the process that lends them. */
const char *pgasi_net_lent_at(uint64_t offset);

/** Starts copying from another node's segment. This and the following wait while many messages are
 *  under way, which bounds the memory that those take. To a thread that has nothing under way a
 *  transfer leaves at once; small ones that follow are aggregated until it is done. Transfers of
 *  more than some 96 KiB proceed while the main thread computes. */
pgasi_net_handle_t pgasi_net_get_nb(void *dst, pgas_ptr_t src, size_t nbytes);

/** The source of a put of up to this size may be reused at once. */
#define PGASI_NET_COPIED_MAX 256

/** Starts copying to another node's segment; when complete, the bytes are visible there. `src` must
 *  not change until then. */
pgasi_net_handle_t pgasi_net_put_nb(pgas_ptr_t dst, const void *src, size_t nbytes);

/** Starts setting bytes of another node's segment to `value`; when complete, they are visible
 * there.
 */
pgasi_net_handle_t pgasi_net_set_nb(pgas_ptr_t dst, int value, size_t nbytes);

/** Starts copying from a segment of another node to one of another node, the same or a third one.
 *  The bytes do not come here; when complete, they are visible at their destination. */
pgasi_net_handle_t pgasi_net_copy_nb(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes);

/**
 * Starts copying chunks from another node's segment: the first of them, as many as travel together,
 * at least one. Returns how many; `*handle` completes them. The target packs chunks of up to some
 * KiB; the request has no more than their description.
 */
size_t pgasi_net_get_chunks_nb(void *dst, pgas_ptr_t src, const pgasi_chunks_t *chunks,
                               pgasi_net_handle_t *handle);

/** The same to another node's segment, whose thread unpacks them; when complete, the bytes are
 *  visible there. The source must not change until then. */
size_t pgasi_net_put_chunks_nb(pgas_ptr_t dst, const void *src, const pgasi_chunks_t *chunks,
                               pgasi_net_handle_t *handle);

/** True for the handle of a put of which a later one to the same thread is complete only if this
 * one is. */
bool pgasi_net_is_put(pgasi_net_handle_t handle);

/** True if the operation is known to be complete. Progresses nothing. */
bool pgasi_net_is_done(pgasi_net_handle_t handle);

/** Makes sure that the operation will complete: sends what waits to travel with others.
 *  pgasi_net_test and pgasi_net_wait do so too; to be called for all before a wait for any of
 *  several. */
void pgasi_net_flush(pgasi_net_handle_t handle);

/** True if the operation is complete; else progresses the network once and tests again. */
bool pgasi_net_test(pgasi_net_handle_t handle);

/** Waits until the operation is complete. */
void pgasi_net_wait(pgasi_net_handle_t handle);

/** Waits for everything that the calling agent has started. */
void pgasi_net_wait_all(void);

/** The same for all agents; no other one is in a call of the runtime, or will be. */
void pgasi_net_wait_everybody(void);

/** Waits until `is_any_done(argument)`, which becomes true when something in flight completes. */
void pgasi_net_wait_until(bool (*is_any_done)(const void *argument), const void *argument);

/** The same for so long at most; false: nothing was complete then. */
bool pgasi_net_wait_within(bool (*is_any_done)(const void *argument), const void *argument,
                           unsigned milliseconds);

/** From yes to no the calling agent's puts and gets do not wait for credit, however many are under
 *  way, nor do others wait for it on their account: for who bounds them himself. */
void pgasi_net_unbounded(bool yes);

/** Copies from another node's segment; complete when it returns. */
void pgasi_net_get(void *dst, pgas_ptr_t src, size_t nbytes);

/** Copies to another node's segment; visible there when it returns. */
void pgasi_net_put(pgas_ptr_t dst, const void *src, size_t nbytes);

/** What becomes of a signal at `offset` of the target's segment (pgas/signal.h); `op` is a
 *  pgas_signal_op_t. */
typedef struct pgasi_net_signal {
    uint64_t offset;
    uint64_t value;
    uint64_t op;
} pgasi_net_signal_t;

/**
 * Starts copying to another node's segment, and changes a signal there when the bytes are visible,
 * and so are all puts, sets and updates of that segment that the calling agent has started. Arrives
 * whatever the sender does; `nbytes` may be 0. When it is complete, the signal has been changed.
 */
pgasi_net_handle_t pgasi_net_put_signal_nb(pgas_ptr_t dst, const void *src, size_t nbytes,
                                           const pgasi_net_signal_t *signal);

/** The same; returns when `src` may be reused. */
void pgasi_net_put_signal(pgas_ptr_t dst, const void *src, size_t nbytes,
                          const pgasi_net_signal_t *signal);

/** Bytes of a put with an event that raise it once. */
#define PGASI_NET_EVENT_PIECE ((size_t)65536)

/** How often a put of `nbytes` bytes raises its event: once for every piece, and at least once. */
static inline uint32_t pgasi_net_events(size_t nbytes)
{
    return nbytes == 0 ? 1 : (uint32_t)((nbytes - 1) / PGASI_NET_EVENT_PIECE + 1);
}

/**
 * Copies to another node's segment and tells those who wait there: raises the pgasi_event_t at
 * offset `event` of the same segment (shm/event.h) by pgasi_net_events(nbytes) in all, piece by
 * piece, each when its bytes are visible. Pieces arrive in any order, whatever the sender does.
 * `src` must not change until all have arrived; `nbytes` may be 0. Nothing else tells completion:
 * neither handles nor fences cover it.
 */
void pgasi_net_put_event(pgas_ptr_t dst, const void *src, size_t nbytes, uint64_t event);

/**
 * Starts an atomic operation on an aligned word of another node's segment, which a processor of the
 * target's node executes, so that it is atomic with the operations of its threads. The word's old
 * value goes to `old`, which has its size. Travels in one message with small gets.
 */
pgasi_net_handle_t pgasi_net_atomic_nb(pgas_ptr_t at, const pgasi_net_atomic_t *atomic, void *old);

/** Starts one of which nobody wants the old value. Travels in one message with small puts. */
pgasi_net_handle_t pgasi_net_update_nb(pgas_ptr_t at, const pgasi_net_atomic_t *atomic);

/** Whether the network itself executes all operations of the set `ops` (bits 1 << op) on words of
 *  `type`, atomically with those of processors. */
bool pgasi_net_has_atomics(pgas_type_t type, uint32_t ops);

/** Starts one of these, which nobody at the target has to do with. `old` takes the word's old
 * value, or is NULL. False if the word cannot be reached so yet. */
bool pgasi_net_remote_atomic_nb(pgas_ptr_t at, const pgasi_net_atomic_t *atomic, void *old,
                                pgasi_net_handle_t *handle);

/** Lets the calling operating-system thread initiate operations, as the agent of that number
 *  (base/agent.h), and takes that away again when all that it has begun is complete. */
pgas_status_t pgasi_net_attach(uint32_t agent);
void pgasi_net_detach(void);

/** True where pgasi_net_call may be used: in the main thread and in agents, but not in a handler.
 */
bool pgasi_net_may_call(void);

/** Calls a service of a thread on another node and waits for its reply of up to `size` bytes, in
 *  `reply`. */
void pgasi_net_call(uint32_t thread, pgasi_net_service_t service, const void *request,
                    size_t nbytes, void *reply, size_t size);

/** The same with a time limit: false if no reply came within it. Works while the job is being
 *  ended; not for handlers. */
bool pgasi_net_call_within(unsigned milliseconds, uint32_t thread, pgasi_net_service_t service,
                           const void *request, size_t nbytes, void *reply, size_t size);

/** Sends a message to a service of a thread on another node. `message` may be reused when it
 *  returns. It arrives whatever the sender does. Also for handlers. */
void pgasi_net_send(uint32_t thread, pgasi_net_service_t service, const void *message,
                    size_t nbytes);

/** The same by the connection of the calling agent's calls to that thread, which it may overtake,
 *  and they it. Has left when it returns: nothing need progress for it to arrive,
 *  PGAS_PROGRESS=poll or not. Not for handlers. */
void pgasi_net_send_direct(uint32_t thread, pgasi_net_service_t service, const void *message,
                           size_t nbytes);

/** Waits until all messages have left: those of a thread without a progress thread would not while
 *  it does not communicate, and UCX 1.13 does not cope with the end of a worker that is still
 *  making a connection. It takes the others that they progress. */
void pgasi_net_wait_sent(void);

/** Lets the network progress, in a thread that has no progress thread and waits for something
 *  else. */
void pgasi_net_linger(void);

/** The largest message that comes with a put, and the largest put, in bytes. */
#define PGASI_NET_PUT_MESSAGE_MAX 192
#define PGASI_NET_MESSAGE_PUT_MAX ((size_t)524288)

/** Copies to another node's segment, and when the bytes are there gives that thread's service a
 *  message: in one. `message` may be reused when it returns; `src` must not change until the
 *  message has arrived. Also for handlers. */
void pgasi_net_send_put(pgas_ptr_t dst, const void *src, size_t nbytes, pgasi_net_service_t service,
                        const void *message, size_t size);

#define PGASI_NET_AM_ARGS 16

/** What an active message says of itself; of the arguments only the first `nargs` are written. What
 * `handler` and `kind` mean is the client's business. */
typedef struct pgasi_net_am {
    /** If the payload is placed: where, in the receiver's segment. */
    uint64_t offset;
    uint8_t is_placed;
    /** Goes to a thread from which a request has come. */
    uint8_t is_reply;
    /** For the network: the bytes of the payload behind a message that travels with others. */
    uint16_t payload_behind;
    uint32_t source;
    /** Of a request those that it takes, of a reply those that it returns. While some have not come
     *  back the network expects replies. */
    uint32_t credits;
    uint16_t handler;
    uint8_t kind;
    uint8_t nargs;
    int32_t args[PGASI_NET_AM_ARGS];
} pgasi_net_am_t;

/** Copies one with the arguments that it has, and perhaps some behind them: in pieces of a fixed
 *  size, which take an instruction or two each. */
static inline void pgasi_net_am_copy(pgasi_net_am_t *to, const pgasi_net_am_t *from)
{
    enum {
        AT_ONCE = 4
    };
    memcpy(to, from, offsetof(pgasi_net_am_t, args));
    for (unsigned i = 0; i < from->nargs; i += AT_ONCE)
        memcpy(to->args + i, from->args + i, AT_ONCE * sizeof *from->args);
}

/** What the network does with active messages. */
typedef struct pgasi_net_am_client {
    /** Whether a message with a payload of `nbytes` bytes is one that somebody sends; source,
     * number of arguments and place have been checked. This and the next run in the progressing
     * thread, in calls of the network, and must not wait or send. */
    bool (*accepts)(const pgasi_net_am_t *am, size_t nbytes);
    /** Takes a message whose payload has come. One that is not placed is gone when it returns.
     *  `polls_next`: the calling thread is the main thread, and calls `poll` next. */
    void (*deliver)(const pgasi_net_am_t *am, void *payload, size_t nbytes, bool polls_next);
    /** Runs what has come; returns how many. In the main thread, whenever it progresses. */
    unsigned (*poll)(void);
    /** The same in the progress thread. */
    unsigned (*serve)(void);
    /** Whether there is something that the main thread can run. */
    bool (*has_come)(void);
    /** The main thread is about to sleep on descriptors: returns another one, which becomes ready
     *  when something comes, or -1. has_come is called in between, sleep_end in any case. */
    int (*sleep_begin)(void);
    void (*sleep_end)(void);
    /** How long a main thread that waits for the network may sleep, in milliseconds. */
    unsigned (*longest_sleep)(void);
} pgasi_net_am_client_t;

/** The most bytes of a payload that the network copies when a message is sent. */
#define PGASI_NET_AM_COPIED 98304

/** Installs the client. Before pgasi_net_start. */
void pgasi_net_am_install(const pgasi_net_am_client_t *client);

/** Sends an active message to a thread of another node; it arrives whatever the sender does. A
 *  reply travels by the connection of the requests. A payload of more than PGASI_NET_AM_COPIED
 * bytes is sent from where it is: if `waits`, when this returns, it has been sent. Also in the
 * progress thread, but not in calls of the network. */
void pgasi_net_am_send(uint32_t thread, const pgasi_net_am_t *am, const void *payload,
                       size_t nbytes, bool waits);

/** The calling thread runs several handlers one after the other: replies with few bytes that it
 * sends between these two may leave together, when it releases them. Where a message is cheap they
 * do not. */
void pgasi_net_am_hold(void);
void pgasi_net_am_release(void);

/** Waits until `is_done(argument)`, which a message or a sent payload makes true. In the main
 * thread and in the progress thread. `describe` may be NULL. */
void pgasi_net_am_wait(bool (*is_done)(const void *argument), const void *argument,
                       void (*describe)(char *text, size_t size));

/**
 * A waiting main thread progresses the network. pgasi_net_progress_begin takes the target side over
 * and is false if there is no network, or if the thread has it already; pgasi_net_progress does
 * what there is to do and returns 0 if there was nothing; pgasi_net_progress_end hands the target
 * side back, at once if the main thread is `going_to_sleep`.
 */
bool pgasi_net_progress_begin(void);
unsigned pgasi_net_progress(void);
void pgasi_net_progress_end(bool going_to_sleep);

/** The main thread is awake: the progress thread must not spin on its core. */
void pgasi_net_awake(void);

/** How long a waiting main thread may sleep before it must progress the network again, in
 *  milliseconds; 0: any time, since the progress thread does so or there is no network. */
unsigned pgasi_net_interval(void);

#endif
