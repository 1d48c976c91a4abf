/* The reductions' 22 names. */
#include <stdint.h>

#include "upc/all_reduce.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): a type. */
#define TYPED(suffix, T) \
    static void apply_##suffix(pgasi_upc_function_t *function, const void *left, void *right) \
    { \
        T (*typed)(T, T) = (T(*)(T, T))function; \
        T *result = right; \
        *result = typed(*(const T *)left, *result); \
    } \
\
    static const pgasi_upc_type_t type_##suffix = { \
        .type = CODE_##suffix, .size = sizeof(T), .apply = apply_##suffix}; \
\
    void upc_all_reduce##suffix(pgas_ptr_t dst, pgas_ptr_t src, upc_op_t op, size_t nelems, \
                                size_t blk_size, T (*func)(T, T), upc_flag_t flags) \
    { \
        pgasi_upc_reduce(&(pgasi_upc_reduction_t){&type_##suffix, dst, src, op, nelems, blk_size, \
                                                  (pgasi_upc_function_t *)func, flags}); \
    } \
\
    void upc_all_prefix_reduce##suffix(pgas_ptr_t dst, pgas_ptr_t src, upc_op_t op, size_t nelems, \
                                       size_t blk_size, T (*func)(T, T), upc_flag_t flags) \
    { \
        pgasi_upc_prefix_reduce(&(pgasi_upc_reduction_t){ \
            &type_##suffix, dst, src, op, nelems, blk_size, (pgasi_upc_function_t *)func, flags}); \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

#define CODE_C PGAS_INT8
#define CODE_UC PGAS_UINT8
#define CODE_S PGAS_INT16
#define CODE_US PGAS_UINT16
#define CODE_I PGAS_INT32
#define CODE_UI PGAS_UINT32
#define CODE_L (sizeof(long) == 8 ? PGAS_INT64 : PGAS_INT32)
#define CODE_UL (sizeof(long) == 8 ? PGAS_UINT64 : PGAS_UINT32)
#define CODE_F PGAS_FLOAT
#define CODE_D PGAS_DOUBLE
#define CODE_LD PGAS_LONG_DOUBLE

_Static_assert(sizeof(short) == 2 && sizeof(int) == 4, "as coll.h has them");

PGASI_UPC_TYPES(TYPED)
