/**
 * Signals: puts that tell the owner of the memory that they have come, and waits for that.
 *
 * A signal is a pgas_signal_t, 64 bits, in the segment of the thread that waits for it, its owner:
 * by itself, in an array, or in a structure, from any allocation, aligned to 8 bytes. The owner
 * gives it its first value (pgas_signal_set) before anybody else uses it. While it is in use it is
 * changed by the calls of this header alone: what else writes to it, atomic operations included,
 * may leave a waiting thread asleep.
 *
 *   double *halo = ...;  pgas_signal_t *come = ...;          at the owner, both in its segment
 *   for (uint64_t step = 1;; step++) {
 *       pgas_put_signal(their_halo, edge, nbytes, their_signal, PGAS_SIGNAL_SET, step);
 *       pgas_signal_wait(come, PGAS_GE, step);
 *       ... read halo ...
 *   }
 *
 * Order. Who has waited for a signal, tested or fetched it sees what its sender had written before
 * as an acquire sees a release (atomic.h), and of writes in flight to the *owner's* segment:
 *
 *   - all bytes of the same put;
 *   - all puts, sets and atomic operations without an old value, of values, contiguous and
 *     scattered memory, of any size, that the same operating-system thread began before. A copy
 *     from shared to shared memory is a put if its source is on the caller's node, otherwise it is
 *     a get, and not ordered;
 *   - signals before, of the same operating-system thread to the same owner, in their order.
 *
 * So put, put, signal needs no wait between; a few bytes come sooner in one pgas_put_signal.
 * Nothing else orders two puts in flight to one thread: neither their sizes nor a fence. Of two to
 * the same bytes either may be the last, until the owner has told the sender that the first has
 * come. Writes in flight to other threads are not ordered: they are complete before the signal is
 * sent, or are another signal's.
 *
 * An owner sees each signal that is sent to it, whatever the size of its put, as one change of the
 * word: to the value, or by the value, modulo 2^64. Additions of any senders add up. Of two senders
 * that set, one is the last.
 *
 * A sender need not do anything for the signal to arrive, unless PGAS_PROGRESS=poll: it may
 * compute, or leave for pgas_finalize, which waits for it. Neither barriers nor fences wait until a
 * signal has come: the owner does, by waiting for it.
 *
 * Waits progress everything and run handlers, as barriers do: they spin, yield, sleep, and are
 * woken by the signal. Any number of attached threads (attach.h) may wait for one signal at once;
 * all of them are woken.
 *
 * Not collective. A put with a signal counts as a copy of its bytes (stats.h), if there are any,
 * and in the mode PGAS_MODE_SIGNAL, with 8 bytes, as PGAS_TO. Waits are not counted.
 *
 * Ends the job: a place outside the owner's heap; a signal that is not aligned; data and signal
 * of different threads; a wait for a word outside the own segment; a comparison or an operation
 * that does not exist; any call but pgas_signal_fetch and pgas_signal_set in a handler (am.h).
 *
 * After OpenSHMEM 1.5, sections 9.8 and 9.10: shmem_put_signal and shmem_signal_wait_until.
 */
#ifndef PGAS_SIGNAL_H
#define PGAS_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pgas/async.h>
#include <pgas/atomic.h>
#include <pgas/types.h>
#include <pgas/word.h>

PGAS_BEGIN_DECLS

/** A signal, in shared memory. */
typedef struct pgas_signal {
    uint64_t value;
} pgas_signal_t;

/** What a put does to its signal: the word becomes the value, or grows by it. */
typedef enum pgas_signal_op {
    PGAS_SIGNAL_SET = 0,
    PGAS_SIGNAL_ADD
} pgas_signal_op_t;

/** What is waited for: that the word is ... the value. Signals are unsigned numbers; memory that
 *  PGAS_WAIT_UNTIL waits for is what its type says. */
typedef enum pgas_compare {
    PGAS_EQ = 0,
    PGAS_NE,
    PGAS_GT,
    PGAS_GE,
    PGAS_LT,
    PGAS_LE
} pgas_compare_t;

/* ---- Sending ---- */

/**
 * Copies `nbytes` bytes of private memory to `dst` and then changes the signal, a pgas_signal_t of
 * the same thread. With 0 bytes `dst` and `src` are ignored.
 *
 * Returns when `src` may be reused. Up to some 96 KiB that is at once, before the bytes have
 * arrived, unless very many messages are under way, or, with PGAS_PROGRESS=poll, a first small copy
 * to that thread; beyond, when they have.
 */
PGAS_API void pgas_put_signal(pgas_ptr_t dst, const void *src, size_t nbytes, pgas_ptr_t signal,
                              pgas_signal_op_t op, uint64_t value);

/** The same, started now: `src` must not change until the handle is complete, which it is when the
 *  bytes are in place and the signal has been changed. */
PGAS_API pgas_handle_t pgas_put_signal_async(pgas_ptr_t dst, const void *src, size_t nbytes,
                                             pgas_ptr_t signal, pgas_signal_op_t op,
                                             uint64_t value);

/** The same without a handle: completed by pgas_waitsynci or by the access region. */
PGAS_API void pgas_put_signal_asynci(pgas_ptr_t dst, const void *src, size_t nbytes,
                                     pgas_ptr_t signal, pgas_signal_op_t op, uint64_t value);

/* ---- Waiting ---- */

/** Waits until the own signal compares so with `value`; returns what it was then. */
PGAS_API uint64_t pgas_signal_wait(const pgas_signal_t *signal, pgas_compare_t compare,
                                   uint64_t value);

/** Whether it does; if it does not, progresses everything once and looks again. */
PGAS_API bool pgas_signal_test(const pgas_signal_t *signal, pgas_compare_t compare, uint64_t value);

/**
 * Waits for one of `count` own signals in an array, and returns its index. `skip`, if it is not
 * NULL, has `count` entries: signals where it is true are left out. Returns `count` at once if none
 * is left.
 *
 * No signal is starved, whatever the others do. The calls of an operating-system thread for the
 * same `signals` and `count`, with none for others between, take turns: a signal that compares so,
 * and is not skipped, is passed over fewer than `count` times. Where calls for others come between,
 * the search begins anywhere by chance: each call returns such a signal with a probability of at
 * least 1 / `count`.
 */
PGAS_API size_t pgas_signal_wait_any(const pgas_signal_t *signals, size_t count, const bool *skip,
                                     pgas_compare_t compare, uint64_t value);

/** Waits for one of them at least; writes the indexes of all that compare so then, in ascending
 * order, to `indexes`, which takes `count`, and returns how many. 0 if none is left. */
PGAS_API size_t pgas_signal_wait_some(const pgas_signal_t *signals, size_t count, const bool *skip,
                                      size_t *indexes, pgas_compare_t compare, uint64_t value);

/** Waits until each of them has compared so. */
PGAS_API void pgas_signal_wait_all(const pgas_signal_t *signals, size_t count, const bool *skip,
                                   pgas_compare_t compare, uint64_t value);

/** Reads the own signal. */
static inline uint64_t pgas_signal_fetch(const pgas_signal_t *signal)
{
    return __atomic_load_n(&signal->value, __ATOMIC_ACQUIRE);
}

/** Sets the own signal, and wakes those who wait for it. An addition of another thread at the same
 *  time is lost or added. */
PGAS_API void pgas_signal_set(pgas_signal_t *signal, uint64_t value);

/* ---- Waiting for memory ---- */

/**
 * Waits until memory of a type of 4 or 8 bytes compares so with `value`. `at` is a plain address
 * that the calling process can read: of shared memory of its own or of its node, or of its own
 * private memory. It may be written by anything: stores of this node, remote puts and atomic
 * operations, handlers. It is read as an atomic load that acquires.
 *
 *   PGAS_WAIT_UNTIL(int64_t, &flag, PGAS_NE, 0);
 *
 * Progresses everything and runs handlers, as the waits above. Since plain stores wake nobody, it
 * sleeps for at most a millisecond at a time: a signal is answered sooner. A value that comes and
 * goes may be missed.
 */
#define PGAS_WAIT_UNTIL(type, at, compare, value) \
    PGASI_WAIT_UNTIL(type, at, compare, value, PGASI_UNIQUE(pgasi_v))

/** The same for a type that is known at run time: the value is the low 4 or 8 bytes of `value`. */
PGAS_API void pgas_wait_until(const volatile void *at, pgas_type_t type, pgas_compare_t compare,
                              uint64_t value);

/* A type, or a name that is declared, cannot stand in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */

#define PGASI_WAIT_UNTIL(type, at, compare, value, v) \
    __extension__({ \
        const volatile type *v = (at); \
        pgas_wait_until(v, PGASI_TYPE(type), compare, PGASI_BITS(type, value)); \
    })

/* NOLINTEND(bugprone-macro-parentheses) */

PGAS_END_DECLS

#if defined(PGAS_DEBUG) && !defined(PGASI_BUILDING)
#define pgas_put_signal_async(...) PGASI_NOTED(pgas_put_signal_async, __VA_ARGS__)
#define pgas_put_signal_asynci(...) PGASI_NOTED(pgas_put_signal_asynci, __VA_ARGS__)
#endif

#endif
