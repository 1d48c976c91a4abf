#include "shm/word.h"

#include <stdatomic.h>
#include <string.h>

bool pgasi_word_allows(unsigned op, unsigned type)
{
    bool is_bitwise = op == PGAS_AND || op == PGAS_OR || op == PGAS_XOR;
    bool is_float = type == PGAS_FLOAT || type == PGAS_DOUBLE;
    return op < PGAS_ATOMIC_OPS && type < PGAS_TYPES && !(is_bitwise && is_float);
}

/* What an operation that needs a loop leaves behind. `calculation` wraps around where `type` is an
 * integer with a sign. */
#define DEFINE_RESULT(name, type, calculation) \
    static type result_##name(pgas_atomic_op_t op, type old, type operand) \
    { \
        switch (op) { \
        case PGAS_ADD: \
            return (type)((calculation)old + (calculation)operand); \
        case PGAS_SUB: \
            return (type)((calculation)old - (calculation)operand); \
        case PGAS_INC: \
            return (type)((calculation)old + 1); \
        case PGAS_DEC: \
            return (type)((calculation)old - 1); \
        case PGAS_MUL: \
            return (type)((calculation)old * (calculation)operand); \
        case PGAS_MIN: \
            return operand < old ? operand : old; \
        case PGAS_MAX: \
            return operand > old ? operand : old; \
        default: \
            return old; \
        } \
    }

DEFINE_RESULT(int32, int32_t, uint32_t)
DEFINE_RESULT(uint32, uint32_t, uint32_t)
DEFINE_RESULT(int64, int64_t, uint64_t)
DEFINE_RESULT(uint64, uint64_t, uint64_t)
DEFINE_RESULT(float, float, float)
DEFINE_RESULT(double, double, double)

#define RESULT(name, type) \
    do { \
        type before; \
        type with; \
        memcpy(&before, &old, sizeof before); \
        memcpy(&with, &operand, sizeof with); \
        type after = result_##name(op, before, with); \
        memcpy(&bits, &after, sizeof after); \
    } while (0)

static uint64_t result(pgas_atomic_op_t op, pgas_type_t type, uint64_t old, uint64_t operand)
{
    uint64_t bits = 0;
    switch (type) {
    case PGAS_INT32:
        RESULT(int32, int32_t);
        break;
    case PGAS_UINT32:
        RESULT(uint32, uint32_t);
        break;
    case PGAS_INT64:
        RESULT(int64, int64_t);
        break;
    case PGAS_FLOAT:
        RESULT(float, float);
        break;
    case PGAS_DOUBLE:
        RESULT(double, double);
        break;
    default:
        RESULT(uint64, uint64_t);
    }
    return bits;
}

static uint64_t loop_32(pgas_atomic_op_t op, pgas_type_t type, _Atomic uint32_t *word,
                        uint64_t operand)
{
    uint32_t old = atomic_load_explicit(word, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(word, &old,
                                                  (uint32_t)result(op, type, old, operand),
                                                  memory_order_acq_rel, memory_order_relaxed))
        continue;
    return old;
}

static uint64_t loop_64(pgas_atomic_op_t op, pgas_type_t type, _Atomic uint64_t *word,
                        uint64_t operand)
{
    uint64_t old = atomic_load_explicit(word, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(word, &old, result(op, type, old, operand),
                                                  memory_order_acq_rel, memory_order_relaxed))
        continue;
    return old;
}

uint64_t pgasi_word_apply(pgas_atomic_op_t op, pgas_type_t type, void *word, uint64_t operand,
                          uint64_t compare)
{
    bool is_short = pgasi_size_of_type(type) == sizeof(uint32_t);
    if (pgasi_word_is_native(op, type))
        return is_short ? pgasi_word_32(op, word, operand, compare, PGAS_ACQ_REL)
                        : pgasi_word_64(op, word, operand, compare, PGAS_ACQ_REL);
    return is_short ? loop_32(op, type, word, operand) : loop_64(op, type, word, operand);
}
