/**
 * What the inline functions of the public headers stand on. Not for programs: names with `pgasi_`
 * change without notice.
 */
#ifndef PGAS_DETAIL_H
#define PGAS_DETAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** Element sizes counted by a class of their own: 1, 2, 4, 8 and 16 bytes. */
#define PGASI_SIZE_CLASSES 5

/** Operations and bytes of one kind. */
typedef struct pgasi_count {
    uint64_t operations;
    uint64_t bytes;
} pgasi_count_t;

/**
 * What a thread knows of one thread of the job, itself included: where its segment is mapped and
 * how much they have exchanged. Address and value counters share cache lines, because an access to
 * a value needs both.
 */
typedef struct pgasi_peer {
    /** Start of its segment in this address space; NULL where it is not mapped. */
    char *base;
    /** Individual accesses by size class. */
    uint64_t value_gets[PGASI_SIZE_CLASSES];
    uint64_t value_puts[PGASI_SIZE_CLASSES];
    /** Individual accesses of any other size. */
    pgasi_count_t odd_gets;
    pgasi_count_t odd_puts;
    /** Copies. */
    pgasi_count_t bulk_gets;
    pgasi_count_t bulk_puts;
    /** Packed copies. */
    pgasi_count_t packed_gets;
    pgasi_count_t packed_puts;
    /** Active messages to it; and those of the progress thread, which needs atomic operations and
     *  uses the main thread's. */
    pgasi_count_t messages;
    pgasi_count_t messages_aside;
    /** Atomic operations that return a value, and those that do not. */
    pgasi_count_t atomic_gets;
    pgasi_count_t atomic_puts;
    /** Signals to it. */
    uint64_t signals;
    /** Its node, 0-based. */
    uint32_t node;
} __attribute__((aligned(64))) pgasi_peer_t;

/** The calling thread's view of the job; constant between pgas_init and pgas_finalize. The counters
 *  are those of the main thread. */
typedef struct pgasi_job {
    pgasi_peer_t *peers;
    uint32_t thread;
    uint32_t threads;
    /** How many bytes of every segment, from its heap on, copies may name; 0 outside the job. */
    uint64_t span;
} pgasi_job_t;

/** Bytes at the start of every segment, where the null pointer leads. */
#define PGASI_NULL_PAGE ((uint64_t)65536)

/** Where the heap of every segment starts: at a huge page. What lies before it is the runtime's. */
#define PGASI_HEAP_BEGIN ((uint64_t)16 << 20)

PGAS_API extern pgasi_job_t pgasi_job;

/** In threads that are not attached. Nothing is ever mapped there, so that what counts is a fault
 *  which is told from that of a null pointer. */
/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
#define PGASI_NO_PEERS ((pgasi_peer_t *)(uintptr_t)(PGASI_NULL_PAGE / 2))

/** The same peers with the counters of the calling operating-system thread; PGASI_NO_PEERS if that
 *  is not attached (attach.h). */
PGAS_API extern __thread pgasi_peer_t *pgasi_peers __attribute__((tls_model("initial-exec")));

/** Whether `nbytes` (> 0) bytes from `ptr` on lie in the heap of a segment; false for 0 bytes and
 *  outside the job. */
static inline bool pgasi_is_in_heap(pgas_ptr_t ptr, size_t nbytes)
{
    const uint64_t first = ptr.offset - PGASI_HEAP_BEGIN;
    return first < pgasi_job.span && nbytes - 1 < pgasi_job.span - first &&
           ptr.thread < pgasi_job.threads;
}

/** The size class of `nbytes`, or -1; folds to a constant for a constant. */
static inline int pgasi_size_class(size_t nbytes)
{
    return nbytes == 1    ? 0
           : nbytes == 2  ? 1
           : nbytes == 4  ? 2
           : nbytes == 8  ? 3
           : nbytes == 16 ? 4
                          : -1;
}

/** Adds to a counter of the calling operating-system thread, which others may read meanwhile
 *  (stats.h): no read-modify-write for other processors. Written out where compilers make three
 *  instructions of it, with which a small put takes a tenth longer. */
/* NOLINTNEXTLINE(readability-non-const-parameter): it is written to */
static inline void pgasi_counter_add(uint64_t *counter, uint64_t more)
{
#if defined(__x86_64__)
    __asm__("addq %1, %0" : "+m"(*counter) : "er"(more) : "cc");
#else
    __atomic_store_n(counter, __atomic_load_n(counter, __ATOMIC_RELAXED) + more, __ATOMIC_RELAXED);
#endif
}

static inline void pgasi_count_value_get(pgasi_peer_t *peer, size_t nbytes)
{
    int size_class = pgasi_size_class(nbytes);
    if (size_class >= 0) {
        pgasi_counter_add(&peer->value_gets[size_class], 1);
    } else {
        pgasi_counter_add(&peer->odd_gets.operations, 1);
        pgasi_counter_add(&peer->odd_gets.bytes, nbytes);
    }
}

static inline void pgasi_count_value_put(pgasi_peer_t *peer, size_t nbytes)
{
    int size_class = pgasi_size_class(nbytes);
    if (size_class >= 0) {
        pgasi_counter_add(&peer->value_puts[size_class], 1);
    } else {
        pgasi_counter_add(&peer->odd_puts.operations, 1);
        pgasi_counter_add(&peer->odd_puts.bytes, nbytes);
    }
}

/**
 * Whether memcpy would take ten times as long as it should. Up to release 2.38 glibc copies from
 * 2113 bytes to about the size of the second-level cache by `rep movsb`, which AMD's Zen 3 and 4 do
 * byte by byte if the destination is 1 to 31 bytes ahead of the source in a page (glibc's bug
 * 30994), as what malloc returns is ahead of the beginning of one.
 */
static inline bool pgasi_copy_crawls(const void *dst, const void *src, size_t nbytes)
{
#if defined(__x86_64__)
    uintptr_t ahead = ((uintptr_t)dst - (uintptr_t)src) % 4096;
    return nbytes > 2048 && nbytes <= 1048576 && ahead > 0 && ahead < 32;
#else
    (void)dst, (void)src, (void)nbytes;
    return false;
#endif
}

/** memcpy by another loop. */
PGAS_API void pgasi_copy_by_loads(void *dst, const void *src, size_t nbytes);

/**
 * The bytes from which on memcpy may take several times as long as in parts. From the size of AMD's
 * second-level cache on, 512 KiB or 1 MiB, glibc copies by loads and stores, which wait for each
 * line that another core has used last, and by `rep movsb` below (docs/decisions.md, 138).
 */
#define PGASI_COPY_LONG ((size_t)524288)

/** memcpy in parts. */
PGAS_API void pgasi_copy_in_parts(void *dst, const void *src, size_t nbytes);

/** Words of any alignment. */
typedef uint16_t pgasi_word16_t __attribute__((may_alias, aligned(1)));
typedef uint32_t pgasi_word32_t __attribute__((may_alias, aligned(1)));
typedef uint64_t pgasi_word64_t __attribute__((may_alias, aligned(1)));

/**
 * memcpy. 1, 2, 4 and 8 bytes are loaded once and stored once: of a length that the compiler does
 * not know memcpy loads and stores such bytes twice, the second time over what their owner may have
 * written since the first.
 */
static inline void pgasi_copy(void *dst, const void *src, size_t nbytes)
{
    switch (nbytes) {
    case 1:
        *(char *)dst = *(const char *)src;
        return;
    case 2:
        *(pgasi_word16_t *)dst = *(const pgasi_word16_t *)src;
        return;
    case 4:
        *(pgasi_word32_t *)dst = *(const pgasi_word32_t *)src;
        return;
    case 8:
        *(pgasi_word64_t *)dst = *(const pgasi_word64_t *)src;
        return;
    default:
        break;
    }
    if (__builtin_expect(pgasi_copy_crawls(dst, src, nbytes), 0))
        pgasi_copy_by_loads(dst, src, nbytes);
    else if (__builtin_expect(nbytes >= PGASI_COPY_LONG, 0))
        pgasi_copy_in_parts(dst, src, nbytes);
    else
        memcpy(dst, src, nbytes);
}

/** A name that no other expansion has, so that value macros can be nested. */
#define PGASI_JOIN_(a, b) a##b
#define PGASI_JOIN(a, b) PGASI_JOIN_(a, b)
#define PGASI_UNIQUE(name) PGASI_JOIN(name, __COUNTER__)

/**
 * Division by an invariant number, without a division: a shift if it is a power of two, else the
 * high half of a product (Granlund and Montgomery, PLDI 1994). Exact for dividends below
 * 2^63.
 */
typedef struct {
    uint64_t divisor;
    uint64_t reciprocal;
    uint32_t shift;
    bool power_of_two;
} pgasi_divisor_t;

__extension__ typedef unsigned __int128 pgasi_uint128_t;

/** Prepares division by `divisor` (1 to 2^63). */
static inline pgasi_divisor_t pgasi_divisor(uint64_t divisor)
{
    pgasi_divisor_t d = {divisor, 0, 0, divisor <= 1 || (divisor & (divisor - 1)) == 0};
    while (((uint64_t)1 << d.shift) < divisor)
        d.shift++;
    if (!d.power_of_two)
        d.reciprocal =
            (uint64_t)((((pgasi_uint128_t)1 << (63 + d.shift)) + (divisor - 1)) / divisor);
    return d;
}

static inline uint64_t pgasi_divide(uint64_t dividend, const pgasi_divisor_t *d)
{
    if (__builtin_expect(d->power_of_two, 1))
        return dividend >> d->shift;
    return (uint64_t)(((pgasi_uint128_t)(2 * dividend) * d->reciprocal) >> 64) >> d->shift;
}

/** What a thread calls its phase of the split-phase barrier. */
typedef enum pgasi_phase {
    PGASI_PHASE_ANONYMOUS,
    PGASI_PHASE_NAMED,
    /** Makes the phase a mismatch for all threads. */
    PGASI_PHASE_MISMATCH
} pgasi_phase_t;

/**
 * The split-phase barrier of layers above, for which different ids are no error: pgasi_phase_wait
 * returns, on every thread, whether all ids were the same; then `*is_named` is whether any thread
 * has named the phase, and `*id` the name. Any int is an id. All threads make the same calls, and
 * none of pgas_barrier, pgas_notify and pgas_wait between notify and wait.
 * pgasi_phase_test is true if a wait would return at once; if not, it polls. So is
 * pgasi_phase_wait_for, which waits for that, up to so long.
 */
PGAS_API void pgasi_phase_notify(pgasi_phase_t phase, int id);
PGAS_API bool pgasi_phase_test(void);
PGAS_API bool pgasi_phase_wait_for(unsigned milliseconds);
PGAS_API bool pgasi_phase_wait(bool *is_named, int *id);

/** Runs the handlers of active messages that have come from the own node, those that the calling
 *  thread has sent to itself among them; if another operating-system thread runs some just now,
 * waits for its turn. Where pgas_poll may be called. */
PGAS_API void pgasi_poll_in_turn(void);

/**
 * Gives the core to others that want it. False if the waiting thread had better go on or sleep:
 * somebody has kept the core for long, just now or a short while ago, so that this time it was not
 * even offered. The kernel lets who yields go last, behind all that compute there.
 */
PGAS_API bool pgasi_yield(void);

/** A layer above lets the calling thread sleep, outside the runtime, between two looks at what it
 *  waits for: in between the thread counts as asleep, so that others serve what comes. */
PGAS_API void pgasi_nap_begin(void);
PGAS_API void pgasi_nap_end(void);

/** Ends the process, and with it what the job has on its node, if it is still there so many seconds
 *  later: with `status`, unless another call has named one before. 0: no limit any more, and no
 *  status. While the ending of another thread has a limit, nothing happens, nor when that limit is
 *  taken back. For an ending that may wait for a lock that the calling operating-system thread
 * holds itself, since it runs in a signal handler. Takes SIGALRM from the program. */
PGAS_API void pgasi_limit_ending(unsigned seconds, int status);

/** pgas_finalize for a process that ends at once, without giving its memory back: other
 *  operating-system threads of it may be attached, and read and write the segments until then, but
 *  call nothing. Returns EXIT_FAILURE if the statistics that PGAS_STATS asks for could not be
 *  written, which a line has said, and which the process must not end well with; EXIT_SUCCESS
 *  otherwise. */
PGAS_API int pgasi_finalize_in_place(void);

/** Writes out what streams hold, before the process ends by other ways than exit: as fflush(NULL),
 *  for no more than a second, since a thread may hold a stream while it waits for input, or for a
 *  pipe that nobody reads. Nothing while an earlier call is held up so. The process must end then:
 *  it can no longer open or close streams, or fork. */
PGAS_API void pgasi_flush_streams(void);

/** The same for a process that ends well: waits for who reads what is written, however long that
 *  takes, and for no more than a second for streams that threads hold. */
PGAS_API void pgasi_flush_streams_patiently(void);

/** What a layer above calls what is `call` here; `call` itself if it has no name for it. */
typedef const char *pgasi_rename_t(const char *call);

/** From now on the line of pgasi_fatal has the names of a layer above. Before pgas_init. */
PGAS_API void pgasi_fatal_rename(pgasi_rename_t *rename);

/** Ends the job after one line with thread, call and reason. */
PGAS_NORETURN PGAS_API void pgasi_fatal(const char *call, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

PGAS_END_DECLS

#endif
