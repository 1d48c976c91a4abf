/**
 * Operations on elements: the predefined ones by type, and the program's own.
 */
#ifndef PGASI_COLL_OPERATION_H
#define PGASI_COLL_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/coll.h>

/** An operation on a type. */
typedef struct pgasi_operation {
    pgas_op_function_t *combine;
    pgas_datatype_t type;
    /** Of an element, in bytes. */
    size_t size;
    bool is_own;
    bool commutes;
    /** The predefined operation; what else it has is in `is_own` and `commutes`. */
    pgas_op_t op;
} pgasi_operation_t;

/** The function of a predefined operation; NULL if the type does not have it. */
pgas_op_function_t *pgasi_kernel(pgas_datatype_t type, pgas_op_t op);

/** Writes `count` neutral elements of a predefined operation that the type has. */
void pgasi_neutral(pgas_datatype_t type, pgas_op_t op, void *elements, size_t count);

/** Finds an operation; ends the job if the type does not have it. */
pgasi_operation_t pgasi_operation_find(const char *call, pgas_datatype_t type, pgas_op_t op);

/** What members compare: the same for the program's own ones of all numbers, by whether they
 *  commute. */
uint64_t pgasi_operation_signature(const pgasi_operation_t *operation);

#endif
