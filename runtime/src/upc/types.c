/* Types and operations of "UPC Collectives Library 2.0". */
#include <stdlib.h>

#include "coll/operation.h"
#include "coll/own_operations.h"
#include "coll/run.h"
#include "upc/library.h"

#define INTEGER(type) \
    (sizeof(type) == 1   ? PGAS_INT8 \
     : sizeof(type) == 2 ? PGAS_INT16 \
     : sizeof(type) == 4 ? PGAS_INT32 \
                         : PGAS_INT64)
#define UNSIGNED(type) \
    (sizeof(type) == 1   ? PGAS_UINT8 \
     : sizeof(type) == 2 ? PGAS_UINT16 \
     : sizeof(type) == 4 ? PGAS_UINT32 \
                         : PGAS_UINT64)

static const pgas_datatype_t datatypes[] = {
    [UPC_BYTE] = PGAS_UINT8,
    [UPC_CHAR] = CHAR_MIN < 0 ? PGAS_INT8 : PGAS_UINT8,
    [UPC_UCHAR] = PGAS_UINT8,
    [UPC_SHORT] = INTEGER(short),
    [UPC_USHORT] = UNSIGNED(short),
    [UPC_INT] = INTEGER(int),
    [UPC_UINT] = UNSIGNED(int),
    [UPC_LONG] = INTEGER(long),
    [UPC_ULONG] = UNSIGNED(long),
    [UPC_LONGLONG] = INTEGER(long long),
    [UPC_ULONGLONG] = UNSIGNED(long long),
    [UPC_FLOAT] = PGAS_FLOAT,
    [UPC_DOUBLE] = PGAS_DOUBLE,
    [UPC_LONGDOUBLE] = PGAS_LONG_DOUBLE,
    [UPC_CPLX] = PGAS_COMPLEX_FLOAT,
    [UPC_DBLCPLX] = PGAS_COMPLEX_DOUBLE,
    [UPC_LONGDBLCPLX] = PGAS_COMPLEX_LONG_DOUBLE,
    [UPC_FLOAT_INT] = PGAS_FLOAT_INT,
    [UPC_DOUBLE_INT] = PGAS_DOUBLE_INT,
    [UPC_LONG_INT] = PGAS_LONG_INT,
    [UPC_2INT] = PGAS_2INT,
    [UPC_SHORT_INT] = PGAS_SHORT_INT,
    [UPC_LONG_DOUBLE_INT] = PGAS_LONG_DOUBLE_INT,
};

static const pgas_op_t predefined[UPC_PREDEFINED_OPS] = {
    [UPC_ADD] = PGAS_ADD,          [UPC_MULT] = PGAS_MUL,
    [UPC_AND] = PGAS_AND,          [UPC_OR] = PGAS_OR,
    [UPC_XOR] = PGAS_XOR,          [UPC_LOGAND] = PGAS_LOGICAL_AND,
    [UPC_LOGOR] = PGAS_LOGICAL_OR, [UPC_MIN] = PGAS_MIN,
    [UPC_MAX] = PGAS_MAX,          [UPC_MINLOC] = PGAS_MIN_INDEX,
    [UPC_MAXLOC] = PGAS_MAX_INDEX,
};

/* The program's own. */
static pgasi_owns_t owns = {.first = UPC_PREDEFINED_OPS, .first_free = -1};

/* coll.h's operations that stand for all of them; made when first used. */
static pgas_op_t stand_ins[2] = {-1, -1};

pgas_datatype_t pgasi_upc_datatype(upccoll_dtype_t dt)
{
    if (dt < 0 || (size_t)dt >= sizeof datatypes / sizeof *datatypes)
        return -1;
    return datatypes[dt];
}

upccoll_return_t upccoll_type_size(upccoll_dtype_t dt, size_t *nbytes)
{
    if (!pgasi_upc_is_initialized())
        return UPCCOLL_ERROR_UNINITIALIZED;
    if (nbytes == NULL)
        return UPCCOLL_ERROR;
    pgas_datatype_t type = pgasi_upc_datatype(dt);
    if (type < 0)
        return UPCCOLL_ERROR_DATATYPE;
    *nbytes = pgas_datatype_size(type);
    return UPCCOLL_SUCCESS;
}

upccoll_return_t upccoll_op_create(upccoll_user_fun *function, int commute, upccoll_op_t *op)
{
    if (!pgasi_upc_is_initialized())
        return UPCCOLL_ERROR_UNINITIALIZED;
    if (function == NULL || op == NULL || (commute != 0 && commute != 1))
        return UPCCOLL_ERROR;
    int number = pgasi_owns_add(&owns, (pgasi_any_function_t *)function, commute == 1);
    if (number < 0)
        return UPCCOLL_ERROR_MALLOC;
    *op = number;
    return UPCCOLL_SUCCESS;
}

upccoll_return_t upccoll_op_free(upccoll_op_t op)
{
    if (!pgasi_upc_is_initialized())
        return UPCCOLL_ERROR_UNINITIALIZED;
    return pgasi_owns_remove(&owns, op) ? UPCCOLL_SUCCESS : UPCCOLL_ERROR_UPC_OP;
}

static void stand_in(const void *in, void *inout, size_t count, pgas_datatype_t type)
{
    const pgasi_upc_own_t *own = pgasi_coll_context;
    (void)type;
    own->function((void *)in, inout, count, own->dt);
}

static pgas_op_t stand_in_for(pgasi_upc_call_t *call, upccoll_dtype_t dt, const pgasi_own_t *own)
{
    pgas_op_t *made = &stand_ins[own->commutes];
    if (*made < 0 && pgas_op_create(stand_in, own->commutes, made) != PGAS_OK)
        pgasi_upc_fail(call, UPCCOLL_ERROR_MALLOC);
    call->own = (pgasi_upc_own_t){(upccoll_user_fun *)own->function, dt};
    return *made;
}

pgas_op_t pgasi_upc_op(pgasi_upc_call_t *call, upccoll_dtype_t dt, upccoll_op_t op)
{
    pgas_datatype_t type = pgasi_upc_datatype(dt);
    const pgasi_own_t own = pgasi_owns_find(&owns, op);
    if (call->error != UPCCOLL_SUCCESS)
        return -1;
    if (own.function != NULL)
        return stand_in_for(call, dt, &own);
    if (op >= 0 && op < UPC_PREDEFINED_OPS && pgasi_kernel(type, predefined[op]) != NULL)
        return predefined[op];
    pgasi_upc_fail(call, UPCCOLL_ERROR_UPC_OP);
    return -1;
}
