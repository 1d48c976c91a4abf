#include "net/ucx/pool.h"

#include <stdlib.h>

#include <pgas/detail.h>

pgasi_ucx_desc_t *pgasi_ucx_desc_create(pgasi_ucx_pool_t *pool)
{
    pgasi_ucx_desc_t *desc = malloc(sizeof *desc + pool->payload_size);
    if (desc == NULL)
        pgasi_fatal("network", "no memory for a message");
    desc->pool = pool;
    return desc;
}

void pgasi_ucx_pool_free(pgasi_ucx_pool_t *pool)
{
    while (pool->first != NULL) {
        pgasi_ucx_desc_t *desc = pool->first;
        pool->first = desc->next;
        free(desc);
    }
}
