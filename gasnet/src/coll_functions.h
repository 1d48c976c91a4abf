/**
 * The functions of reductions and scans, which gasnet_coll_init is given.
 */
#ifndef GASNETI_COLL_FUNCTIONS_H
#define GASNETI_COLL_FUNCTIONS_H

#include "internal.h"

#include <gasnet_coll.h>

/** A function as a call uses it. */
typedef struct gasneti_coll_operator {
    gasnet_coll_reduce_fn *call;
    int flags;
    int arg;
} gasneti_coll_operator_t;

/** Copies the functions. */
void gasneti_coll_copy_functions(const char *call, const gasnet_coll_fn_entry_t fn_tbl[],
                                 size_t count);

/** Ends the job unless these are the ones. */
void gasneti_coll_require_functions(const char *call, const gasnet_coll_fn_entry_t fn_tbl[],
                                    size_t count);

/** How many there are. */
size_t gasneti_coll_functions(void);

/** One of them. Ends the job if it does not exist. */
const gasnet_coll_fn_entry_t *gasneti_coll_function(const char *call, gasnet_coll_fn_handle_t func);

#endif
