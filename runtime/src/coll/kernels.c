/* The predefined operations by type: one loop for each pair of them that there is. The lower ranks'
 * operand is `in`; NaN and ties as pgas/coll.h says. */
#include <complex.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "coll/operation.h"

#define PAIR(name, value) \
    typedef struct name { \
        value x; \
        int index; \
    } name##_t;

PAIR(short_int, short)
PAIR(two_int, int)
PAIR(long_int, long)
PAIR(float_int, float)
PAIR(double_int, double)
PAIR(long_double_int, long double)

typedef float complex float_complex_t;
typedef double complex double_complex_t;
typedef long double complex long_double_complex_t;
typedef long double long_double_t;
typedef float float_t_;
typedef double double_t_;

/* NOLINTBEGIN(bugprone-macro-parentheses): a type. */

/* `x` is the lower ranks' element, `y` the other, and what becomes of it. */
#define KERNEL(name, type, op, expression) \
    static void name##_##op(const void *in, void *inout, size_t count, pgas_datatype_t datatype) \
    { \
        (void)datatype; \
        const type *xs = in; \
        type *ys = inout; \
        for (size_t i = 0; i < count; i++) { \
            const type x = xs[i]; \
            const type y = ys[i]; \
            ys[i] = (expression); \
        } \
    }

/* NOLINTEND(bugprone-macro-parentheses) */

/* Unsigned arithmetic wraps; the conversion back takes the low bits. */
#define INTEGER(name, type) \
    KERNEL(name, type, add, (type)((uint64_t)x + (uint64_t)y)) \
    KERNEL(name, type, mul, (type)((uint64_t)x * (uint64_t)y)) \
    KERNEL(name, type, min, x < y ? x : y) \
    KERNEL(name, type, max, x > y ? x : y) \
    KERNEL(name, type, and, (type)(x & y)) \
    KERNEL(name, type, or, (type)(x | y)) \
    KERNEL(name, type, xor, (type)(x ^ y)) \
    KERNEL(name, type, land, x != 0 && y != 0) \
    KERNEL(name, type, lor, x != 0 || y != 0)

/* Of two equal values, as 0 and -0, that of the lower ranks stays: which of several does, is up to
 * the algorithm's brackets. */
#define REAL(name, type) \
    KERNEL(name, type, add, x + y) \
    KERNEL(name, type, mul, x *y) \
    KERNEL(name, type, min, x <= y || y != y ? x : y) \
    KERNEL(name, type, max, x >= y || y != y ? x : y) \
    KERNEL(name, type, land, x != 0 && y != 0) \
    KERNEL(name, type, lor, x != 0 || y != 0)

#define COMPLEX(name, type) \
    KERNEL(name, type, add, x + y) \
    KERNEL(name, type, mul, x *y) \
    KERNEL(name, type, land, x != 0 && y != 0) \
    KERNEL(name, type, lor, x != 0 || y != 0)

#define INDEXED(name, type) \
    KERNEL(name, type, minloc, \
           x.x < y.x || y.x != y.x || (x.x == y.x && x.index <= y.index) ? x : y) \
    KERNEL(name, type, maxloc, \
           x.x > y.x || y.x != y.x || (x.x == y.x && x.index <= y.index) ? x : y)

INTEGER(int8, int8_t)
INTEGER(uint8, uint8_t)
INTEGER(int16, int16_t)
INTEGER(uint16, uint16_t)
INTEGER(int32, int32_t)
INTEGER(uint32, uint32_t)
INTEGER(int64, int64_t)
INTEGER(uint64, uint64_t)
REAL(float, float_t_)
REAL(double, double_t_)
REAL(long_double, long_double_t)
COMPLEX(float_complex, float_complex_t)
COMPLEX(double_complex, double_complex_t)
COMPLEX(long_double_complex, long_double_complex_t)
INDEXED(short_int, short_int_t)
INDEXED(two_int, two_int_t)
INDEXED(long_int, long_int_t)
INDEXED(float_int, float_int_t)
INDEXED(double_int, double_int_t)
INDEXED(long_double_int, long_double_int_t)

#define COMPLEX_ROW(name) \
    [PGAS_ADD] = name##_add, [PGAS_MUL] = name##_mul, [PGAS_LOGICAL_AND] = name##_land, \
    [PGAS_LOGICAL_OR] = name##_lor
#define REAL_ROW(name) COMPLEX_ROW(name), [PGAS_MIN] = name##_min, [PGAS_MAX] = name##_max
#define INTEGER_ROW(name) \
    REAL_ROW(name), [PGAS_AND] = name##_and, [PGAS_OR] = name##_or, [PGAS_XOR] = name##_xor
#define INDEXED_ROW(name) [PGAS_MIN_INDEX] = name##_minloc, [PGAS_MAX_INDEX] = name##_maxloc

static pgas_op_function_t *const kernels[PGAS_DATATYPES][PGAS_PREDEFINED_OPS] = {
    [PGAS_INT8] = {INTEGER_ROW(int8)},
    [PGAS_UINT8] = {INTEGER_ROW(uint8)},
    [PGAS_INT16] = {INTEGER_ROW(int16)},
    [PGAS_UINT16] = {INTEGER_ROW(uint16)},
    [PGAS_INT32] = {INTEGER_ROW(int32)},
    [PGAS_UINT32] = {INTEGER_ROW(uint32)},
    [PGAS_INT64] = {INTEGER_ROW(int64)},
    [PGAS_UINT64] = {INTEGER_ROW(uint64)},
    [PGAS_FLOAT] = {REAL_ROW(float)},
    [PGAS_DOUBLE] = {REAL_ROW(double)},
    [PGAS_LONG_DOUBLE] = {REAL_ROW(long_double)},
    [PGAS_COMPLEX_FLOAT] = {COMPLEX_ROW(float_complex)},
    [PGAS_COMPLEX_DOUBLE] = {COMPLEX_ROW(double_complex)},
    [PGAS_COMPLEX_LONG_DOUBLE] = {COMPLEX_ROW(long_double_complex)},
    [PGAS_SHORT_INT] = {INDEXED_ROW(short_int)},
    [PGAS_2INT] = {INDEXED_ROW(two_int)},
    [PGAS_LONG_INT] = {INDEXED_ROW(long_int)},
    [PGAS_FLOAT_INT] = {INDEXED_ROW(float_int)},
    [PGAS_DOUBLE_INT] = {INDEXED_ROW(double_int)},
    [PGAS_LONG_DOUBLE_INT] = {INDEXED_ROW(long_double_int)},
};

pgas_op_function_t *pgasi_kernel(pgas_datatype_t type, pgas_op_t op)
{
    if (type < 0 || type >= PGAS_DATATYPES || op < 0 || op >= PGAS_PREDEFINED_OPS)
        return NULL;
    return kernels[type][op];
}

/* The neutral element of type `c`, whose least and greatest values are `least` and `most`. */
#define NUMBER(code, c, least, most) \
    case code: { \
        c value = (c)(op == PGAS_MIN                             ? (most) \
                      : op == PGAS_MAX                           ? (least) \
                      : op == PGAS_AND                           ? (c)-1 \
                      : op == PGAS_MUL || op == PGAS_LOGICAL_AND ? 1 \
                                                                 : 0); \
        memcpy(element, &value, sizeof value); \
        break; \
    }
#define INDEXED_NUMBER(code, c, least, most) \
    case code: { \
        c value = {.x = op == PGAS_MIN_INDEX ? (most) : (least), .index = INT_MAX}; \
        memcpy(element, &value, sizeof value); \
        break; \
    }

static void write_neutral(pgas_datatype_t type, pgas_op_t op, void *element)
{
    switch (type) {
        NUMBER(PGAS_INT8, int8_t, INT8_MIN, INT8_MAX)
        NUMBER(PGAS_UINT8, uint8_t, 0, UINT8_MAX)
        NUMBER(PGAS_INT16, int16_t, INT16_MIN, INT16_MAX)
        NUMBER(PGAS_UINT16, uint16_t, 0, UINT16_MAX)
        NUMBER(PGAS_INT32, int32_t, INT32_MIN, INT32_MAX)
        NUMBER(PGAS_UINT32, uint32_t, 0, UINT32_MAX)
        NUMBER(PGAS_INT64, int64_t, INT64_MIN, INT64_MAX)
        NUMBER(PGAS_UINT64, uint64_t, 0, UINT64_MAX)
        NUMBER(PGAS_FLOAT, float, -HUGE_VALF, HUGE_VALF)
        NUMBER(PGAS_DOUBLE, double, -HUGE_VAL, HUGE_VAL)
        NUMBER(PGAS_LONG_DOUBLE, long double, -HUGE_VALL, HUGE_VALL)
        NUMBER(PGAS_COMPLEX_FLOAT, float_complex_t, 0, 0)
        NUMBER(PGAS_COMPLEX_DOUBLE, double_complex_t, 0, 0)
        NUMBER(PGAS_COMPLEX_LONG_DOUBLE, long_double_complex_t, 0, 0)
        INDEXED_NUMBER(PGAS_SHORT_INT, short_int_t, SHRT_MIN, SHRT_MAX)
        INDEXED_NUMBER(PGAS_2INT, two_int_t, INT_MIN, INT_MAX)
        INDEXED_NUMBER(PGAS_LONG_INT, long_int_t, LONG_MIN, LONG_MAX)
        INDEXED_NUMBER(PGAS_FLOAT_INT, float_int_t, -HUGE_VALF, HUGE_VALF)
        INDEXED_NUMBER(PGAS_DOUBLE_INT, double_int_t, -HUGE_VAL, HUGE_VAL)
        INDEXED_NUMBER(PGAS_LONG_DOUBLE_INT, long_double_int_t, -HUGE_VALL, HUGE_VALL)
    default:
        break;
    }
}

void pgasi_neutral(pgas_datatype_t type, pgas_op_t op, void *elements, size_t count)
{
    size_t size = pgas_datatype_size(type);
    for (size_t i = 0; i < count; i++)
        write_neutral(type, op, (char *)elements + i * size);
}
