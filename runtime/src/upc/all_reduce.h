/**
 * The reductions of UPC 1.2, whatever their type.
 */
#ifndef PGASI_UPC_ALL_REDUCE_H
#define PGASI_UPC_ALL_REDUCE_H

#include <stddef.h>

#include "upc/combine.h"

/** The arguments of a call; `function` has the type's signature. */
typedef struct pgasi_upc_reduction {
    const pgasi_upc_type_t *type;
    pgas_ptr_t dst;
    pgas_ptr_t src;
    upc_op_t op;
    size_t nelems;
    size_t blk_size;
    pgasi_upc_function_t *function;
    upc_flag_t flags;
} pgasi_upc_reduction_t;

void pgasi_upc_reduce(const pgasi_upc_reduction_t *reduction);
void pgasi_upc_prefix_reduce(const pgasi_upc_reduction_t *reduction);

#endif
