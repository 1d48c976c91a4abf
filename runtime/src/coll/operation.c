#include "coll/operation.h"

#include <complex.h>
#include <stdio.h>

#include <pgas/detail.h>

#include "base/log.h"
#include "coll/own_operations.h"

/* The program's own. */
static pgasi_owns_t owns = {.first = PGAS_PREDEFINED_OPS, .first_free = -1};

#define SIZE_OF_PAIR(value) \
    sizeof(struct { \
        value x; \
        int index; \
    })

#define TYPE(type, nbytes) [type] = {nbytes, #type}

/* The size, and the name for lines about wrong arguments. */
static const struct {
    size_t size;
    const char *name;
} types[PGAS_DATATYPES] = {
    TYPE(PGAS_INT32, 4),
    TYPE(PGAS_UINT32, 4),
    TYPE(PGAS_INT64, 8),
    TYPE(PGAS_UINT64, 8),
    TYPE(PGAS_FLOAT, sizeof(float)),
    TYPE(PGAS_DOUBLE, sizeof(double)),
    TYPE(PGAS_INT8, 1),
    TYPE(PGAS_UINT8, 1),
    TYPE(PGAS_INT16, 2),
    TYPE(PGAS_UINT16, 2),
    TYPE(PGAS_LONG_DOUBLE, sizeof(long double)),
    TYPE(PGAS_COMPLEX_FLOAT, sizeof(float complex)),
    TYPE(PGAS_COMPLEX_DOUBLE, sizeof(double complex)),
    TYPE(PGAS_COMPLEX_LONG_DOUBLE, sizeof(long double complex)),
    TYPE(PGAS_SHORT_INT, SIZE_OF_PAIR(short)),
    TYPE(PGAS_2INT, SIZE_OF_PAIR(int)),
    TYPE(PGAS_LONG_INT, SIZE_OF_PAIR(long)),
    TYPE(PGAS_FLOAT_INT, SIZE_OF_PAIR(float)),
    TYPE(PGAS_DOUBLE_INT, SIZE_OF_PAIR(double)),
    TYPE(PGAS_LONG_DOUBLE_INT, SIZE_OF_PAIR(long double)),
};

static const char *const op_names[PGAS_PREDEFINED_OPS] = {
    [PGAS_LOAD] = "PGAS_LOAD",
    [PGAS_STORE] = "PGAS_STORE",
    [PGAS_SWAP] = "PGAS_SWAP",
    [PGAS_COMPARE_SWAP] = "PGAS_COMPARE_SWAP",
    [PGAS_ADD] = "PGAS_SUM",
    [PGAS_SUB] = "PGAS_SUB",
    [PGAS_INC] = "PGAS_INC",
    [PGAS_DEC] = "PGAS_DEC",
    [PGAS_MUL] = "PGAS_PRODUCT",
    [PGAS_MIN] = "PGAS_MIN",
    [PGAS_MAX] = "PGAS_MAX",
    [PGAS_AND] = "PGAS_AND",
    [PGAS_OR] = "PGAS_OR",
    [PGAS_XOR] = "PGAS_XOR",
    [PGAS_LOGICAL_AND] = "PGAS_LOGICAL_AND",
    [PGAS_LOGICAL_OR] = "PGAS_LOGICAL_OR",
    [PGAS_MIN_INDEX] = "PGAS_MIN_INDEX",
    [PGAS_MAX_INDEX] = "PGAS_MAX_INDEX",
};

size_t pgas_datatype_size(pgas_datatype_t type)
{
    if (type < 0)
        return 0;
    return type < PGAS_DATATYPES ? types[type].size : (size_t)(type - PGAS_DATATYPES);
}

pgas_status_t pgas_op_create(pgas_op_function_t *function, bool commutes, pgas_op_t *op)
{
    if (function == NULL)
        pgasi_fatal(__func__, "there is no function: the pointer is NULL");
    if (op == NULL)
        pgasi_fatal(__func__, "there is no place for the operation: the pointer is NULL");
    int number = pgasi_owns_add(&owns, (pgasi_any_function_t *)function, commutes);
    if (number < 0) {
        pgasi_log("pgas_op_create: no memory for an operation");
        return PGAS_ERR_NO_MEMORY;
    }
    *op = number;
    return PGAS_OK;
}

void pgas_op_free(pgas_op_t op)
{
    if (!pgasi_owns_remove(&owns, op))
        pgasi_fatal(__func__, "%d is no operation of pgas_op_create, or is freed already", op);
}

/* Of pairs whose values are all NaN the lowest rank's is kept. */
static bool keeps_lowest_rank(pgas_datatype_t type, pgas_op_t op)
{
    bool has_nan =
        type == PGAS_FLOAT_INT || type == PGAS_DOUBLE_INT || type == PGAS_LONG_DOUBLE_INT;
    return has_nan && (op == PGAS_MIN_INDEX || op == PGAS_MAX_INDEX);
}

static PGAS_NORETURN void no_operation(const char *call, pgas_datatype_t type, pgas_op_t op)
{
    char type_number[32];
    char op_number[32];
    snprintf(type_number, sizeof type_number, "PGAS_BYTES(%d)", type - PGAS_DATATYPES);
    snprintf(op_number, sizeof op_number, "%d", op);
    pgasi_fatal(call, "there is no operation %s on type %s",
                op >= 0 && op < PGAS_PREDEFINED_OPS ? op_names[op] : op_number,
                type < PGAS_DATATYPES ? types[type].name : type_number);
}

pgasi_operation_t pgasi_operation_find(const char *call, pgas_datatype_t type, pgas_op_t op)
{
    pgasi_operation_t operation = {
        .type = type, .size = pgas_datatype_size(type), .commutes = true, .op = op};
    if (operation.size == 0)
        pgasi_fatal(call, "there is no type %d", type);
    if (op < PGAS_PREDEFINED_OPS) {
        operation.combine = pgasi_kernel(type, op);
        operation.commutes = !keeps_lowest_rank(type, op);
    } else {
        pgasi_own_t own = pgasi_owns_find(&owns, op);
        operation.is_own = true;
        operation.combine = (pgas_op_function_t *)own.function;
        operation.commutes = own.commutes;
    }
    if (operation.combine == NULL)
        no_operation(call, type, op);
    return operation;
}

uint64_t pgasi_operation_signature(const pgasi_operation_t *operation)
{
    if (operation->is_own)
        return PGAS_PREDEFINED_OPS + (uint64_t)operation->commutes;
    return (uint64_t)operation->op;
}
