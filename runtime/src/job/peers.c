#include "job/peers.h"

#include <stddef.h>
#include <stdlib.h>

#include <pgas/detail.h>

#include "base/log.h"
#include "base/self.h"
#include "node/node.h"
#include "node/segment.h"

pgas_status_t pgasi_peers_create(const pgasi_boot_job_t *job, const pgasi_address_record_t *record,
                                 uint64_t *heap_size)
{
    pgasi_peer_t *peers = aligned_alloc(_Alignof(pgasi_peer_t), job->threads * sizeof *peers);
    uint32_t *node_of = malloc(job->threads * sizeof *node_of);
    pgas_status_t status = PGAS_ERR_NO_MEMORY;
    if (peers == NULL || node_of == NULL)
        pgasi_log("no memory for a table of %u threads", job->threads);
    else
        status = pgasi_node_map(pgasi_boot(), job, record->machine, node_of, heap_size);
    for (uint32_t i = 0; i < job->threads && status == PGAS_OK; i++)
        peers[i] = (pgasi_peer_t){.base = NULL, .node = node_of[i]};
    if (status == PGAS_OK) {
        pgasi_job.peers = peers;
        pgasi_self_join_first(peers);
    } else {
        free(peers);
    }
    free(node_of);
    return status;
}

pgas_status_t pgasi_peers_map(uint64_t heap_size, const pgasi_address_record_t *record)
{
    pgasi_address_record_t leader = *record;
    pgas_status_t status = PGAS_OK;
    if (!pgasi_node_is_leader())
        status = pgasi_address_record_lookup(pgasi_boot(), pgasi_nodes.threads[0], &leader, NULL);
    if (status == PGAS_OK)
        status = pgasi_segment_map(heap_size, &leader.address);
    for (uint32_t i = 0; i < pgasi_nodes.threads_count && status == PGAS_OK; i++)
        pgasi_job.peers[pgasi_nodes.threads[i]].base =
            pgasi_node_memory.segments + i * pgasi_node_memory.stride;
    if (status == PGAS_OK)
        pgasi_job.span = pgasi_node_memory.stride - PGASI_HEAP_BEGIN;
    return status;
}

void pgasi_peers_unmap(void)
{
    if (pgasi_job.peers == &pgasi_nobody)
        return;
    pgasi_job.span = 0;
    for (uint32_t i = 0; i < pgasi_job.threads; i++)
        pgasi_job.peers[i].base = NULL;
}
