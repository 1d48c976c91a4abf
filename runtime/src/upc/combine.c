#include "upc/combine.h"

#include <stdalign.h>
#include <string.h>

#include <pgas/detail.h>

#include "coll/operation.h"

enum {
    /* Elements that a kernel combines with as many others at a time. */
    LANES = 64
};

/* The order is upc_coll_names.h's. */
static const pgas_op_t predefined[] = {
    PGAS_ADD,         PGAS_MUL,        PGAS_AND, PGAS_OR,  PGAS_XOR,
    PGAS_LOGICAL_AND, PGAS_LOGICAL_OR, PGAS_MIN, PGAS_MAX,
};

_Static_assert(sizeof predefined / sizeof *predefined == UPC_MAX + 1, "every operation");

pgasi_upc_operation_t pgasi_upc_operation(const char *call, const pgasi_upc_type_t *type,
                                          upc_op_t op, pgasi_upc_function_t *function)
{
    pgasi_upc_operation_t operation = {.type = type, .commutes = op != UPC_NONCOMM_FUNC};
    if (op == UPC_FUNC || op == UPC_NONCOMM_FUNC) {
        if (function == NULL)
            pgasi_fatal(call, "there is no function: the pointer is NULL");
        operation.function = function;
        return operation;
    }
    if (op >= 0 && op <= UPC_MAX)
        operation.kernel = pgasi_kernel(type->type, predefined[op]);
    if (operation.kernel == NULL)
        pgasi_fatal(call, "there is no operation %d on its type", op);
    return operation;
}

void pgasi_upc_combine(const pgasi_upc_operation_t *operation, const void *left, void *right)
{
    if (operation->kernel != NULL)
        operation->kernel(left, right, 1, operation->type->type);
    else
        operation->type->apply(operation->function, left, right);
}

/* The last element, then each before it. */
static void fold_in_order(const pgasi_upc_operation_t *operation, const char *elements,
                          size_t count, void *result)
{
    size_t size = operation->type->size;
    memcpy(result, elements + (count - 1) * size, size);
    for (size_t i = count - 1; i-- > 0;)
        pgasi_upc_combine(operation, elements + i * size, result);
}

/* Predefined operations commute: LANES sums side by side, which then are combined. */
static void fold_lanes(const pgasi_upc_operation_t *operation, const char *elements, size_t count,
                       void *result)
{
    size_t size = operation->type->size;
    alignas(64) char lanes[LANES * PGASI_UPC_ELEMENT_MAX];
    size_t done = LANES;
    memcpy(lanes, elements, LANES * size);
    for (; count - done >= LANES; done += LANES)
        operation->kernel(elements + done * size, lanes, LANES, operation->type->type);
    if (done < count)
        operation->kernel(elements + done * size, lanes, count - done, operation->type->type);
    fold_in_order(operation, lanes, LANES, result);
}

void pgasi_upc_fold(const pgasi_upc_operation_t *operation, const void *elements, size_t count,
                    void *result)
{
    if (operation->kernel != NULL && count > LANES)
        fold_lanes(operation, elements, count, result);
    else
        fold_in_order(operation, elements, count, result);
}

void pgasi_upc_prefix(const pgasi_upc_operation_t *operation, void *elements, size_t count,
                      void *carry, bool has_carry)
{
    size_t size = operation->type->size;
    char *element = elements;
    if (count == 0)
        return;
    if (has_carry)
        pgasi_upc_combine(operation, carry, element);
    for (size_t i = 1; i < count; i++, element += size)
        pgasi_upc_combine(operation, element, element + size);
    memcpy(carry, element, size);
}

void pgasi_upc_prepend(const pgasi_upc_operation_t *operation, const void *left, void *elements,
                       size_t count)
{
    size_t size = operation->type->size;
    char *element = elements;
    if (operation->kernel == NULL) {
        for (size_t i = 0; i < count; i++)
            pgasi_upc_combine(operation, left, element + i * size);
        return;
    }
    alignas(64) char lanes[LANES * PGASI_UPC_ELEMENT_MAX];
    for (size_t i = 0; i < LANES; i++)
        memcpy(lanes + i * size, left, size);
    for (size_t done = 0; done < count; done += LANES)
        operation->kernel(lanes, element + done * size, count - done < LANES ? count - done : LANES,
                          operation->type->type);
}
