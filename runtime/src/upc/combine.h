/**
 * Combining elements of UPC's types, by a predefined operation or the call's own function.
 */
#ifndef PGASI_UPC_COMBINE_H
#define PGASI_UPC_COMBINE_H

#include <stdbool.h>
#include <stddef.h>

#include <pgas/coll.h>
#include <pgas/upc_coll_names.h>

/** The largest element. */
#define PGASI_UPC_ELEMENT_MAX sizeof(long double)

/** A function of the program, of whatever type. */
typedef void pgasi_upc_function_t(void);

/** Sets *right = left op *right by the function, for elements of one type. */
typedef void pgasi_upc_apply_t(pgasi_upc_function_t *function, const void *left, void *right);

/** A type: what coll.h calls it, and how its functions are called. */
typedef struct pgasi_upc_type {
    pgas_datatype_t type;
    size_t size;
    pgasi_upc_apply_t *apply;
} pgasi_upc_type_t;

typedef struct pgasi_upc_operation {
    const pgasi_upc_type_t *type;
    /** Predefined; NULL if the call's own function is used. */
    pgas_op_function_t *kernel;
    pgasi_upc_function_t *function;
    bool commutes;
} pgasi_upc_operation_t;

/** Finds an operation; ends the job in `call` if the type does not have it, or for a function that
 *  is NULL. */
pgasi_upc_operation_t pgasi_upc_operation(const char *call, const pgasi_upc_type_t *type,
                                          upc_op_t op, pgasi_upc_function_t *function);

/** *right = left op *right. */
void pgasi_upc_combine(const pgasi_upc_operation_t *operation, const void *left, void *right);

/** Combines `count` (> 0) neighbours into `result`; in order, unless the operation commutes. */
void pgasi_upc_fold(const pgasi_upc_operation_t *operation, const void *elements, size_t count,
                    void *result);

/** Replaces each of `count` elements by `*carry` and all elements up to it, combined, where
 *  `*carry` counts if `has_carry`. The last one becomes `*carry`. */
void pgasi_upc_prefix(const pgasi_upc_operation_t *operation, void *elements, size_t count,
                      void *carry, bool has_carry);

/** Replaces each of `count` elements by `left` and it, combined. */
void pgasi_upc_prepend(const pgasi_upc_operation_t *operation, const void *left, void *elements,
                       size_t count);

#endif
