/**
 * Words for atomic operations (atomic.h): their types, what is done with them, and how a processor
 * does it in memory of its own.
 */
#ifndef PGAS_WORD_H
#define PGAS_WORD_H

#include <stddef.h>
#include <stdint.h>

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** What a word is. */
typedef enum pgas_type {
    PGAS_INT32 = 0,
    PGAS_UINT32,
    PGAS_INT64,
    PGAS_UINT64,
    PGAS_FLOAT,
    PGAS_DOUBLE,
    PGAS_TYPES
} pgas_type_t;

/** What is done with it. */
typedef enum pgas_atomic_op {
    PGAS_LOAD = 0,
    PGAS_STORE,
    PGAS_SWAP,
    PGAS_COMPARE_SWAP,
    PGAS_ADD,
    PGAS_SUB,
    PGAS_INC,
    PGAS_DEC,
    PGAS_MUL,
    PGAS_MIN,
    PGAS_MAX,
    PGAS_AND,
    PGAS_OR,
    PGAS_XOR,
    PGAS_ATOMIC_OPS
} pgas_atomic_op_t;

/** Memory orders. A load takes the first two, a store relaxed and release, the others all four. */
typedef enum pgas_order {
    PGAS_RELAXED = 0,
    PGAS_ACQUIRE,
    PGAS_RELEASE,
    PGAS_ACQ_REL
} pgas_order_t;

static inline size_t pgasi_size_of_type(pgas_type_t type)
{
    return type == PGAS_INT32 || type == PGAS_UINT32 || type == PGAS_FLOAT ? 4 : 8;
}

/* An operation that the processor has, on `bits` bits. Orders are constants, since the compiler
 * takes the strongest for one that it does not know. */
#define PGASI_DEFINE_WORD(bits) \
    static inline uint64_t pgasi_word_##bits(pgas_atomic_op_t op, void *at, uint64_t operand, \
                                             uint64_t compare, pgas_order_t order) \
    { \
        uint##bits##_t *word = (uint##bits##_t *)at; \
        uint##bits##_t with = (uint##bits##_t)operand; \
        uint##bits##_t expected = (uint##bits##_t)compare; \
        switch (op) { \
        case PGAS_LOAD: \
            return order == PGAS_RELAXED ? __atomic_load_n(word, __ATOMIC_RELAXED) \
                                         : __atomic_load_n(word, __ATOMIC_ACQUIRE); \
        case PGAS_STORE: \
            if (order == PGAS_RELAXED) \
                __atomic_store_n(word, with, __ATOMIC_RELAXED); \
            else \
                __atomic_store_n(word, with, __ATOMIC_RELEASE); \
            return 0; \
        case PGAS_SWAP: \
            return order == PGAS_RELAXED ? __atomic_exchange_n(word, with, __ATOMIC_RELAXED) \
                                         : __atomic_exchange_n(word, with, __ATOMIC_ACQ_REL); \
        case PGAS_COMPARE_SWAP: \
            if (order == PGAS_RELAXED) \
                __atomic_compare_exchange_n(word, &expected, with, 0, __ATOMIC_RELAXED, \
                                            __ATOMIC_RELAXED); \
            else \
                __atomic_compare_exchange_n(word, &expected, with, 0, __ATOMIC_ACQ_REL, \
                                            __ATOMIC_ACQUIRE); \
            return expected; \
        case PGAS_AND: \
            return order == PGAS_RELAXED ? __atomic_fetch_and(word, with, __ATOMIC_RELAXED) \
                                         : __atomic_fetch_and(word, with, __ATOMIC_ACQ_REL); \
        case PGAS_OR: \
            return order == PGAS_RELAXED ? __atomic_fetch_or(word, with, __ATOMIC_RELAXED) \
                                         : __atomic_fetch_or(word, with, __ATOMIC_ACQ_REL); \
        case PGAS_XOR: \
            return order == PGAS_RELAXED ? __atomic_fetch_xor(word, with, __ATOMIC_RELAXED) \
                                         : __atomic_fetch_xor(word, with, __ATOMIC_ACQ_REL); \
        default: \
            break; \
        } \
        with = op == PGAS_INC   ? 1 \
               : op == PGAS_DEC ? (uint##bits##_t) - 1 \
               : op == PGAS_SUB ? (uint##bits##_t)(0 - with) \
                                : with; \
        return order == PGAS_RELAXED ? __atomic_fetch_add(word, with, __ATOMIC_RELAXED) \
                                     : __atomic_fetch_add(word, with, __ATOMIC_ACQ_REL); \
    }

PGASI_DEFINE_WORD(32)
PGASI_DEFINE_WORD(64)

/** Whether the processor has the operation: all without a loop. */
static inline int pgasi_word_is_native(pgas_atomic_op_t op, pgas_type_t type)
{
    int is_arithmetic = op >= PGAS_ADD;
    int is_float = type == PGAS_FLOAT || type == PGAS_DOUBLE;
    return op != PGAS_MUL && op != PGAS_MIN && op != PGAS_MAX && !(is_float && is_arithmetic);
}

PGAS_END_DECLS

#endif
