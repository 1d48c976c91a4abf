#include "node.h"

#include "config.h"
#include "log.h"

pgas_status_t pgasi_node_check(uint32_t threads)
{
    if (pgasi_settings.nodes > threads) {
        pgasi_log_alike("PGAS_NODES=%zu: a job of %u threads has at most %u nodes",
                        pgasi_settings.nodes, threads, threads);
        return PGAS_ERR_ARGUMENT;
    }
    return PGAS_OK;
}

uint32_t pgasi_node_count(uint32_t threads)
{
    return pgasi_node_of(threads - 1, threads) + 1;
}

uint32_t pgasi_node_of(uint32_t thread, uint32_t threads)
{
    if (pgasi_settings.nodes > 0)
        return (uint32_t)((uint64_t)thread * pgasi_settings.nodes / threads);
    if (pgasi_settings.threads_per_node > 0)
        return (uint32_t)(thread / pgasi_settings.threads_per_node);
    return 0;
}
