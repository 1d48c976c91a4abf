#include "coll_functions.h"

#include <string.h>

static gasnet_coll_fn_entry_t *functions;
static size_t functions_count;

const gasnet_coll_fn_entry_t *gasneti_coll_function(const char *call, gasnet_coll_fn_handle_t func)
{
    if (func >= functions_count || functions[func].fnptr == NULL)
        gasneti_fatal(call, "there is no function %u: gasnet_coll_init was given %zu", func,
                      functions_count);
    return &functions[func];
}

void gasneti_coll_copy_functions(const char *call, const gasnet_coll_fn_entry_t fn_tbl[],
                                 size_t count)
{
    if (count == 0)
        return;
    functions = gasneti_allocate(call, count * sizeof *functions);
    memcpy(functions, fn_tbl, count * sizeof *functions);
    functions_count = count;
}

void gasneti_coll_require_functions(const char *call, const gasnet_coll_fn_entry_t fn_tbl[],
                                    size_t count)
{
    if (count != functions_count)
        gasneti_fatal(call, "%zu functions: another thread of this node has given %zu", count,
                      functions_count);
    for (size_t i = 0; i < count; i++)
        if (fn_tbl[i].fnptr != functions[i].fnptr || fn_tbl[i].flags != functions[i].flags)
            gasneti_fatal(call, "function %zu is not that of another thread of this node", i);
}

size_t gasneti_coll_functions(void)
{
    return functions_count;
}
