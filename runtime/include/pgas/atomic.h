/**
 * Atomic operations on shared memory.
 *
 * A word is an integer of 32 or 64 bits, signed or not, a float or a double, aligned to its size,
 * anywhere in shared memory. An operation is executed by a processor of the word's node: by the
 * calling one where the memory is mapped, else by one that serves the network there. So operations
 * of all threads, by any way, on one word are atomic with each other, with C's own atomic
 * operations (`__atomic_*`, `_Atomic`) on the same size through pgas_local, and with aligned plain
 * loads and stores of it: a program may read and reset its own counters by those. Accesses by other
 * sizes, and copies onto a word, are not atomic with anything.
 *
 * Each operation has a memory order, which means what it means in C11, across nodes too. Who
 * acquires a value sees all that its writer had written before it released it: plain stores and
 * value accesses, copies and asynchronous operations that were complete. A relaxed operation orders
 * nothing. Two operations of a thread on one word happen in the order of the calls only if the
 * first was complete before the second was called.
 *
 * Integers wrap around. PGAS_COMPARE_SWAP compares bits, those of floating-point numbers too: -0
 * differs from 0, and a NaN equals itself. PGAS_MIN (PGAS_MAX) stores the operand if it is less
 * (greater) than the word, which it never is where one of them is a NaN: the comparison raises
 * FE_INVALID in the process that executes the operation, which may be the owner's. PGAS_INC and
 * PGAS_DEC add and subtract 1. PGAS_AND, PGAS_OR and PGAS_XOR are for integers only.
 *
 * Blocking operations are complete when they return. The others are in flight as the copies of
 * async.h are, and synchronised with them: by their handle, by pgas_waitsynci, or by the access
 * region. To another node many travel in one message with small gets and puts; those without an old
 * value are the way to count into tables of another node (bench/measured.md has rates).
 *
 * An operation on a word that is mapped here progresses nothing: a loop of them that waits for
 * another thread contains a pgas_fence, and one follows it (sync.h).
 *
 * Not collective. An operation counts in the mode PGAS_MODE_ATOMIC (stats.h), with the bytes of
 * its word: as PGAS_FROM if it returns a value, else as PGAS_TO.
 *
 * Ends the job, where the operation is asynchronous or the word is not mapped here, and in the
 * debug build always: a null pointer, a place outside the owner's heap, a word that is not
 * aligned, an operation that its type does not have, an order that the operation does not have. A
 * thread that does not exist must not be named, as in PGAS_READ.
 *
 * After UPC++ 1.0 revision 2021.3.0, chapter 13, and upc_atomic of UPC 1.3's optional library.
 */
#ifndef PGAS_ATOMIC_H
#define PGAS_ATOMIC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pgas/async.h>
#include <pgas/detail.h>
#include <pgas/ptr.h>
#include <pgas/types.h>
#include <pgas/word.h>

PGAS_BEGIN_DECLS

/* ---- By type ---- */

/**
 * Blocking operations; `type` is a C type of 4 or 8 bytes, `at` a pgas_ptr_t. All but the store
 * return the old value. PGAS_ATOMIC_COMPARE_SWAP stores `desired` if that is `expected`.
 */
#define PGAS_ATOMIC_LOAD(type, at, order) PGASI_ATOMIC(type, PGAS_LOAD, at, 0, 0, order)
#define PGAS_ATOMIC_STORE(type, at, value, order) \
    ((void)PGASI_ATOMIC(type, PGAS_STORE, at, value, 0, order))
#define PGAS_ATOMIC_SWAP(type, at, value, order) PGASI_ATOMIC(type, PGAS_SWAP, at, value, 0, order)
#define PGAS_ATOMIC_COMPARE_SWAP(type, at, expected, desired, order) \
    PGASI_ATOMIC(type, PGAS_COMPARE_SWAP, at, desired, expected, order)
#define PGAS_ATOMIC_FETCH_ADD(type, at, value, order) \
    PGASI_ATOMIC(type, PGAS_ADD, at, value, 0, order)
#define PGAS_ATOMIC_FETCH_SUB(type, at, value, order) \
    PGASI_ATOMIC(type, PGAS_SUB, at, value, 0, order)
#define PGAS_ATOMIC_FETCH_INC(type, at, order) PGASI_ATOMIC(type, PGAS_INC, at, 0, 0, order)
#define PGAS_ATOMIC_FETCH_DEC(type, at, order) PGASI_ATOMIC(type, PGAS_DEC, at, 0, 0, order)
#define PGAS_ATOMIC_FETCH_MUL(type, at, value, order) \
    PGASI_ATOMIC(type, PGAS_MUL, at, value, 0, order)
#define PGAS_ATOMIC_FETCH_MIN(type, at, value, order) \
    PGASI_ATOMIC(type, PGAS_MIN, at, value, 0, order)
#define PGAS_ATOMIC_FETCH_MAX(type, at, value, order) \
    PGASI_ATOMIC(type, PGAS_MAX, at, value, 0, order)
#define PGAS_ATOMIC_FETCH_AND(type, at, value, order) \
    PGASI_ATOMIC(type, PGAS_AND, at, value, 0, order)
#define PGAS_ATOMIC_FETCH_OR(type, at, value, order) \
    PGASI_ATOMIC(type, PGAS_OR, at, value, 0, order)
#define PGAS_ATOMIC_FETCH_XOR(type, at, value, order) \
    PGASI_ATOMIC(type, PGAS_XOR, at, value, 0, order)

/** Without the old value: `op` is PGAS_ADD and so on. The operand of PGAS_INC and PGAS_DEC is
 *  ignored. */
#define PGAS_ATOMIC_UPDATE(type, op, at, operand, order) \
    ((void)pgasi_atomic(op, PGASI_TYPE(type), at, PGASI_BITS(type, operand), 0, order, 0))

/** Operations in flight without an old value, for any `op` but PGAS_LOAD and PGAS_COMPARE_SWAP:
 * with a handle, and without one. */
#define PGAS_ATOMIC_UPDATE_ASYNC(type, op, at, operand, order) \
    pgas_atomic_async(op, PGASI_TYPE(type), at, PGASI_BITS(type, operand), 0, order, NULL)
#define PGAS_ATOMIC_UPDATE_ASYNCI(type, op, at, operand, order) \
    pgas_atomic_asynci(op, PGASI_TYPE(type), at, PGASI_BITS(type, operand), 0, order, NULL)

/** Operations in flight whose old value goes to `*old`, a `type` of private memory: of any `op` but
 *  PGAS_STORE and PGAS_COMPARE_SWAP. */
#define PGAS_ATOMIC_FETCH_ASYNC(type, old, op, at, operand, order) \
    pgas_atomic_async(op, PGASI_TYPE(type), at, PGASI_BITS(type, operand), 0, order, \
                      PGASI_OLD(type, old))
#define PGAS_ATOMIC_FETCH_ASYNCI(type, old, op, at, operand, order) \
    pgas_atomic_asynci(op, PGASI_TYPE(type), at, PGASI_BITS(type, operand), 0, order, \
                       PGASI_OLD(type, old))
#define PGAS_ATOMIC_COMPARE_SWAP_ASYNC(type, old, at, expected, desired, order) \
    pgas_atomic_async(PGAS_COMPARE_SWAP, PGASI_TYPE(type), at, PGASI_BITS(type, desired), \
                      PGASI_BITS(type, expected), order, PGASI_OLD(type, old))
#define PGAS_ATOMIC_COMPARE_SWAP_ASYNCI(type, old, at, expected, desired, order) \
    pgas_atomic_asynci(PGAS_COMPARE_SWAP, PGASI_TYPE(type), at, PGASI_BITS(type, desired), \
                       PGASI_BITS(type, expected), order, PGASI_OLD(type, old))

/* ---- By value ---- */

/**
 * The same for a type that is known at run time. Operands and the old value are the low 4 or 8
 * bytes of a uint64_t; PGAS_COMPARE_SWAP stores `operand` if the word has the bits of `compare`,
 * which the others ignore. Returns the old value with zeros above; PGAS_STORE returns 0.
 */
static inline uint64_t pgas_atomic(pgas_atomic_op_t op, pgas_type_t type, pgas_ptr_t at,
                                   uint64_t operand, uint64_t compare, pgas_order_t order);

/** Starts one: completed by the handle. `old` is private memory of the word's size, undefined until
 *  then, or NULL; PGAS_LOAD and PGAS_COMPARE_SWAP need it, PGAS_STORE does not use it. */
PGAS_API pgas_handle_t pgas_atomic_async(pgas_atomic_op_t op, pgas_type_t type, pgas_ptr_t at,
                                         uint64_t operand, uint64_t compare, pgas_order_t order,
                                         void *old);

/** The same without a handle: completed by pgas_waitsynci or by the access region. */
PGAS_API void pgas_atomic_asynci(pgas_atomic_op_t op, pgas_type_t type, pgas_ptr_t at,
                                 uint64_t operand, uint64_t compare, pgas_order_t order, void *old);

/* ---- What they are made of ---- */

/** The operation of a word that is not mapped here, or that needs a loop. Not for programs. */
PGAS_API uint64_t pgasi_atomic_slow(pgas_atomic_op_t op, pgas_type_t type, pgas_ptr_t at,
                                    uint64_t operand, uint64_t compare, pgas_order_t order);

/** The debug build's check. Not for programs. */
PGAS_API void pgasi_check_atomic(pgas_atomic_op_t op, pgas_type_t type, pgas_ptr_t at,
                                 pgas_order_t order);

static inline void pgasi_count_atomic(pgasi_peer_t *peer, int returns, size_t nbytes)
{
    pgasi_count_t *counter = returns ? &peer->atomic_gets : &peer->atomic_puts;
    pgasi_counter_add(&counter->operations, 1);
    pgasi_counter_add(&counter->bytes, nbytes);
}

/** `returns`: it counts as one that returns a value. */
static inline uint64_t pgasi_atomic(pgas_atomic_op_t op, pgas_type_t type, pgas_ptr_t at,
                                    uint64_t operand, uint64_t compare, pgas_order_t order,
                                    int returns)
{
#ifdef PGAS_DEBUG
    pgasi_check_atomic(op, type, at, order);
#endif
    pgasi_peer_t *peer = &pgasi_peers[at.thread];
    size_t nbytes = pgasi_size_of_type(type);
    pgasi_count_atomic(peer, returns, nbytes);
    if (__builtin_expect(peer->base == NULL || !pgasi_word_is_native(op, type), 0))
        return pgasi_atomic_slow(op, type, at, operand, compare, order);
    return nbytes == 4 ? pgasi_word_32(op, peer->base + at.offset, operand, compare, order)
                       : pgasi_word_64(op, peer->base + at.offset, operand, compare, order);
}

static inline uint64_t pgas_atomic(pgas_atomic_op_t op, pgas_type_t type, pgas_ptr_t at,
                                   uint64_t operand, uint64_t compare, pgas_order_t order)
{
    return pgasi_atomic(op, type, at, operand, compare, order, op != PGAS_STORE);
}

/** The type that a C type is: of 4 or 8 bytes, with or without a sign, or floating-point, which
 *  alone has a half. */
#define PGASI_TYPE(type) \
    ((pgas_type_t)((type)0.5 > 0       ? (sizeof(type) == 4 ? PGAS_FLOAT : PGAS_DOUBLE) \
                   : sizeof(type) == 4 ? ((type)-1 < (type)1 ? PGAS_INT32 : PGAS_UINT32) \
                                       : ((type)-1 < (type)1 ? PGAS_INT64 : PGAS_UINT64)))

/* A type, or a name that is declared, cannot stand in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */

/** The bits of a value of `type`, which has 4 or 8 bytes. */
#define PGASI_BITS(type, value) PGASI_BITS_(type, value, PGASI_UNIQUE(pgasi_v))
#define PGASI_BITS_(type, value, v) \
    __extension__({ \
        const type v = (type)(value); \
        uint64_t PGASI_JOIN(v, b) = 0; \
        typedef char PGASI_JOIN(v, t)[sizeof(type) == 4 || sizeof(type) == 8 ? 1 : -1] \
            __attribute__((unused)); \
        memcpy(&PGASI_JOIN(v, b), &v, sizeof v); \
        PGASI_JOIN(v, b); \
    })

/** Memory for an old value, of the right type. */
#define PGASI_OLD(type, old) PGASI_OLD_(type, old, PGASI_UNIQUE(pgasi_v))
#define PGASI_OLD_(type, old, v) \
    __extension__({ \
        type *v = (old); \
        (void *)v; \
    })

#define PGASI_ATOMIC(type, op, at, operand, compare, order) \
    PGASI_ATOMIC_(type, op, at, operand, compare, order, PGASI_UNIQUE(pgasi_v))
#define PGASI_ATOMIC_(type, op, at, operand, compare, order, v) \
    __extension__({ \
        const uint64_t PGASI_JOIN(v, b) = \
            pgas_atomic(op, PGASI_TYPE(type), at, PGASI_BITS(type, operand), \
                        PGASI_BITS(type, compare), order); \
        type v; \
        memcpy(&v, &PGASI_JOIN(v, b), sizeof v); \
        v; \
    })

/* NOLINTEND(bugprone-macro-parentheses) */

PGAS_END_DECLS

#if defined(PGAS_DEBUG) && !defined(PGASI_BUILDING)
#define pgas_atomic_async(...) PGASI_NOTED(pgas_atomic_async, __VA_ARGS__)
#define pgas_atomic_asynci(...) PGASI_NOTED(pgas_atomic_asynci, __VA_ARGS__)
#endif

#endif
