/**
 * Active messages: a message names a function, its handler, that runs at the thread it goes to.
 *
 *   static void add(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
 *                   size_t nbytes)
 *   {
 *       sum += args[0];
 *       pgas_am_reply_short(token, done, NULL, 0);
 *   }
 *   ...
 *   pgas_am_t am = pgas_am_register("add", add, PGAS_AM_POLL);      before pgas_init
 *   ...
 *   pgas_am_request_short(thread, am, PGAS_AM_ARGS(42));
 *
 * A *short* message carries up to PGAS_AM_MAX_ARGS arguments. A *medium* one also carries bytes,
 * which the handler finds in a buffer of the runtime's, aligned for any type and gone when the
 * handler returns. A *long* one carries bytes to a place in the target's segment; its handler runs
 * when they are visible there.
 *
 * Messages arrive exactly once, in any order, those between the same two threads included. A thread
 * may send to itself; handlers run in the same way then. Where a message was sent says nothing
 * about when it arrives: neither barriers nor fences wait for messages. Programs count replies, or
 * arrivals: what has not been run before all have called pgas_finalize may never be. Between nodes,
 * requests with at most 1 KiB that a thread sends one right after the other may travel together,
 * but none waits for the thread's next call, except the first to a thread where PGAS_PROGRESS=poll:
 * it leaves when the two are connected; such replies of handlers that run one after the other
 * may leave when the last of them has returned. Without a progress thread (PGAS_PROGRESS=poll)
 * requests travel alone, and so do signals. A message that travels alone costs nearly the same up
 * to some 32 KiB: programs that send many small things pack them into messages as long as that, or
 * use atomics (atomic.h) and copies of scattered memory (vis.h), which pack by themselves.
 *
 * Requests and replies. A handler that runs for a request may send one reply, to the thread that
 * sent the request; a handler that runs for a reply may send nothing. Handlers do nothing else that
 * communicates, waits or progresses: no copies, barriers, locks, allocations or polls. They may
 * load and store memory that the thread can address, take handler-safe locks, and call
 * pgas_mythread, pgas_threads, pgas_am_source, pgas_exit, what signal.h says, and pgas_fence, which
 * runs no handlers then. A breach of a rule of this header ends the job with a line that names the
 * call; of copies and atomics, in handlers, with a handler-safe lock held and in no-interrupt
 * sections, only in the debug build.
 *
 * Only the main thread sends requests, and threads that are attached (attach.h). Where several are,
 * each takes the part of the main thread below, but one at a time runs handlers.
 *
 * Where handlers run. A handler of kind PGAS_AM_POLL runs in the main thread of its process only,
 * in calls of the runtime that wait or progress: pgas_poll, barriers, blocking copies to other
 * nodes, waits for handles, locks and plans, and calls that send messages: so a handler may run in
 * a collective call that has not returned yet, and must find what it needs before other threads can
 * know that they may send. A wait, or a try, that finds its handle complete already may run none: a
 * loop that lives by messages contains a pgas_poll. A handler of kind PGAS_AM_ANYWHERE may also run
 * in the runtime's progress thread, beside the program, so that it answers requests of other nodes
 * while the main thread computes; those of the own node it answers as the other kind does. It needs
 * handler-safe locks or atomics for what it shares with the program. Handlers never interrupt each
 * other or the program within one operating-system thread.
 *
 * Handlers are short. While one runs, or waits for a handler-safe lock, its process serves no other
 * node: their copies wait, and so do messages, signals and large copies of the process's other
 * attached threads. One that holds a handler-safe lock therefore waits for nobody. In a job of
 * several hosts a handler that takes as long as PGAS_PEER_TIMEOUT (job.h) ends it, since the others
 * take the process for dead.
 *
 * Sending may wait until the target has room, and then serves what comes in: handlers of the
 * calling thread may run in every call that sends. A thread that does not poll stops those that
 * send to it; on a node 32 requests with bytes that it has not taken, or 8 of more than 4 KiB, also
 * stop those that the sender has for others. Neither side's memory grows with the number of
 * messages.
 *
 * Not collective, except pgas_am_register. Traffic counts in the mode PGAS_MODE_AM (stats.h): one
 * operation per message, with the bytes of its payload.
 */
#ifndef PGAS_AM_H
#define PGAS_AM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/types.h>

#ifdef __cplusplus
extern "C++" { /* also where a program wraps the header in extern "C" */
#include <type_traits>

namespace pgas
{
namespace detail
{
/* The arguments of one message; lives as long as the call that it is an argument of. */
template <typename... T> class am_args
{
  public:
    explicit am_args(T... values) : data_{word(values)...}
    {
    }
    const int32_t *get() const
    {
        return data_;
    }

  private:
    template <typename V> static int32_t word(V value)
    {
        static_assert((std::is_integral<V>::value || std::is_enum<V>::value) && sizeof(V) <= 4,
                      "an argument of an active message has 32 bits: send halves, or a payload");
        return static_cast<int32_t>(value);
    }
    int32_t data_[sizeof...(T)];
};
} // namespace detail
} // namespace pgas
}
#endif

PGAS_BEGIN_DECLS

/** The most arguments of a message. */
#define PGAS_AM_MAX_ARGS 16

/** The most bytes of a medium message. */
#define PGAS_AM_MAX_MEDIUM ((size_t)65536)

/** The most bytes of a long message, request or reply. */
#define PGAS_AM_MAX_LONG ((size_t)0x7fffffff)

/** The most handlers that a program can register. */
#define PGAS_AM_MAX_HANDLERS 1024

/** A registered handler; the same value on every thread. All zero is none. */
typedef struct pgas_am {
    uint32_t number;
} pgas_am_t;

/** The message that a handler runs for; valid until it returns, in its own operating-system thread.
 */
typedef struct pgas_am_token pgas_am_token_t;

/**
 * A handler. `args` has `nargs` arguments. `payload` has `nbytes` bytes: the runtime's buffer of a
 * medium message, the place in the own segment of a long one; NULL for a short one.
 */
typedef void pgas_am_handler_t(pgas_am_token_t *token, const int32_t *args, unsigned nargs,
                               void *payload, size_t nbytes);

/** Which threads of control may run a handler. */
typedef enum pgas_am_where {
    /** The main thread, in calls of the runtime. */
    PGAS_AM_POLL,
    /** The main thread in calls of the runtime, or the progress thread. */
    PGAS_AM_ANYWHERE
} pgas_am_where_t;

/** Arguments in a call: PGAS_AM_ARGS(1, x) stands for an array and its length. No arguments are
 *  `NULL, 0`. Each has 32 bits: a wider integer goes as two (PGAS_AM_64), a floating-point number
 *  as a payload. C cuts others silently (but for warnings of -Wconversion), C++ does not compile
 *  them; it must be C++17 for this macro. */
#ifdef __cplusplus
#define PGAS_AM_ARGS(...) \
    pgas::detail::am_args(__VA_ARGS__).get(), \
        (unsigned)(sizeof(pgas::detail::am_args(__VA_ARGS__)) / sizeof(int32_t))
#else
#define PGAS_AM_ARGS(...) \
    (const int32_t[]){__VA_ARGS__}, (unsigned)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t))
#endif

/** Two arguments in place of a whole number of 64 bits, which is evaluated twice; and, in a
 *  handler, the number from the first of the two: PGAS_AM_ARGS(PGAS_AM_64(vertex), distance) are
 *  three arguments, and pgas_am_64(&args[0]) is the vertex. */
#define PGAS_AM_64(value) pgasi_am_half(value, 32), pgasi_am_half(value, 0)

static inline int32_t pgasi_am_half(uint64_t value, unsigned shift)
{
    return (int32_t)(uint32_t)(value >> shift);
}

static inline uint64_t pgas_am_64(const int32_t *args)
{
    return (uint64_t)(uint32_t)args[0] << 32 | (uint32_t)args[1];
}

/**
 * Registers a handler under a name of its own, of up to 63 characters. All threads register the
 * same names with the same `where`, in the same order: before pgas_init, which compares them, or
 * later as a collective call that includes a barrier. Different names end the job with a line that
 * shows the first that differs.
 */
PGAS_API pgas_am_t pgas_am_register(const char *name, pgas_am_handler_t *handler,
                                    pgas_am_where_t where);

/** Sends a request. The arguments, and the source of a medium message, may be reused when the call
 *  returns; a source of 0 bytes is ignored. Not for handlers, nor while a handler-safe lock is held
 *  or in a no-interrupt section. */
PGAS_API void pgas_am_request_short(int thread, pgas_am_t am, const int32_t *args, unsigned nargs);
PGAS_API void pgas_am_request_medium(int thread, pgas_am_t am, const int32_t *args, unsigned nargs,
                                     const void *src, size_t nbytes);

/** Sends a request and `nbytes` bytes to `dst`, which lies in the segment of `thread`. `src` may be
 *  reused when the call returns. With 0 bytes `src` is ignored. */
PGAS_API void pgas_am_request_long(int thread, pgas_am_t am, const int32_t *args, unsigned nargs,
                                   const void *src, size_t nbytes, pgas_ptr_t dst);

/** The same, but `src` must not change until the handler of the reply starts: the target's handler
 *  must reply. */
PGAS_API void pgas_am_request_long_async(int thread, pgas_am_t am, const int32_t *args,
                                         unsigned nargs, const void *src, size_t nbytes,
                                         pgas_ptr_t dst);

/** Replies to the request that `token` stands for; at most once, in that request's handler, with no
 *  handler-safe lock held. `dst` of a long reply lies in the requesting thread's segment. Sources
 *  may be reused when the call returns. */
PGAS_API void pgas_am_reply_short(pgas_am_token_t *token, pgas_am_t am, const int32_t *args,
                                  unsigned nargs);
PGAS_API void pgas_am_reply_medium(pgas_am_token_t *token, pgas_am_t am, const int32_t *args,
                                   unsigned nargs, const void *src, size_t nbytes);
PGAS_API void pgas_am_reply_long(pgas_am_token_t *token, pgas_am_t am, const int32_t *args,
                                 unsigned nargs, const void *src, size_t nbytes, pgas_ptr_t dst);

/** The thread that sent the message; in any handler. */
PGAS_API int pgas_am_source(const pgas_am_token_t *token);

/** The handler that runs; so that one function can serve several registrations. */
PGAS_API pgas_am_t pgas_am_handler(const pgas_am_token_t *token);

/** Whether the message is a request, to which the handler may reply. */
PGAS_API bool pgas_am_is_request(const pgas_am_token_t *token);

/**
 * Handler-safe locks: mutual exclusion within a process, between handlers and the program. Not
 * recursive; unlocked in the reverse order of locking, by the operating-system thread that locked,
 * and before a handler replies or returns. While one is held no handler that may need it runs in
 * the same operating-system thread: no call that sends or waits is allowed.
 */
typedef struct {
    unsigned char state[64] __attribute__((aligned(8)));
} pgas_am_lock_t;

#define PGAS_AM_LOCK_INITIALIZER \
    { \
        { \
            0 \
        } \
    }

PGAS_API void pgas_am_lock_init(pgas_am_lock_t *lock);
PGAS_API void pgas_am_lock_destroy(pgas_am_lock_t *lock);
PGAS_API void pgas_am_lock(pgas_am_lock_t *lock);
/** True if the lock was free and is held now. */
PGAS_API bool pgas_am_trylock(pgas_am_lock_t *lock);
PGAS_API void pgas_am_unlock(pgas_am_lock_t *lock);

/** Begins and ends a no-interrupt section of the calling operating-system thread, in which none of
 *  its handlers run: it must not send or wait. Sections do not nest. Ignored in handlers
 *  and while a handler-safe lock is held. */
PGAS_API void pgas_am_hold_interrupts(void);
PGAS_API void pgas_am_resume_interrupts(void);

PGAS_END_DECLS

#endif
