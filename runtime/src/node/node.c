#include "node/node.h"

#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/log.h"
#include "node/address_record.h"

pgasi_nodes_t pgasi_nodes;

#define UNKNOWN UINT32_MAX

/* Grows with the index: threads of one node are neighbours in their host's list. */
static uint64_t index_of(uint32_t thread, uint32_t place, uint32_t threads)
{
    if (pgasi_settings.nodes > 0 && threads > 0)
        return (uint64_t)thread * pgasi_settings.nodes / threads;
    if (pgasi_settings.threads_per_node > 0)
        return place / pgasi_settings.threads_per_node;
    return 0;
}

pgas_status_t pgasi_node_join(const pgasi_boot_job_t *job)
{
    if (pgasi_settings.nodes > job->threads) {
        pgasi_log_alike("PGAS_NODES=%zu: a job of %u threads has at most %u nodes",
                        pgasi_settings.nodes, job->threads, job->threads);
        return PGAS_ERR_ARGUMENT;
    }
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t me = UNKNOWN;
    for (uint32_t i = 0; i < job->host_count; i++) {
        uint64_t before = i > 0 ? index_of(job->host_peers[i - 1], i - 1, job->threads) : 0;
        if (i > 0 && index_of(job->host_peers[i], i, job->threads) != before) {
            if (me != UNKNOWN)
                break;
            begin = i;
        }
        if (job->host_peers[i] == job->thread)
            me = i;
        end = i + 1;
    }
    pgasi_nodes = (pgasi_nodes_t){
        .threads = job->host_peers + begin,
        .threads_count = end - begin,
        .place = me - begin,
    };
    return PGAS_OK;
}

bool pgasi_node_several(const pgasi_boot_job_t *job)
{
    return pgasi_nodes.threads_count < job->threads;
}

bool pgasi_node_is_leader(void)
{
    return pgasi_nodes.place == 0;
}

/* Writes the leader of each thread of one host. */
static void find_leaders(const uint32_t *peers, uint32_t count, uint32_t threads, uint32_t *leader)
{
    for (uint32_t i = 0; i < count; i++) {
        bool first =
            i == 0 || index_of(peers[i], i, threads) != index_of(peers[i - 1], i - 1, threads);
        if (peers[i] < threads)
            leader[peers[i]] = first ? peers[i] : leader[peers[i - 1]];
    }
}

/* False, with a line, for a list that has this thread and is not the one that this thread has. */
static bool is_of_my_host_or_another(const pgasi_boot_job_t *job, uint32_t lowest,
                                     const uint32_t *peers, uint32_t count)
{
    bool has_me = false;
    for (uint32_t i = 0; i < count; i++)
        has_me = has_me || peers[i] == job->thread;
    if (!has_me ||
        (count == job->host_count && memcmp(peers, job->host_peers, count * sizeof *peers) == 0))
        return true;
    pgasi_log(
        "the launcher names other threads of this host to thread %u (%u) than to this one (%u)",
        lowest, count, job->host_count);
    return false;
}

/* The first thread of an unknown host is the lowest there: its record lists the others. */
static pgas_status_t walk_hosts(const pgasi_boot_t *boot, const pgasi_boot_job_t *job,
                                const char *machine, uint32_t *leader, uint32_t *peers,
                                uint64_t *heap_size)
{
    *heap_size = UINT64_MAX;
    pgasi_nodes.machine_threads = 0;
    for (uint32_t thread = 0; thread < job->threads; thread++) {
        if (leader[thread] != UNKNOWN)
            continue;
        pgasi_address_record_t record;
        pgas_status_t status = pgasi_address_record_lookup(boot, thread, &record, peers);
        if (status != PGAS_OK)
            return status;
        if (record.heap_size < *heap_size)
            *heap_size = record.heap_size;
        if (machine[0] != '\0' && strncmp(record.machine, machine, sizeof record.machine) == 0)
            pgasi_nodes.machine_threads += record.host_count;
        find_leaders(peers, record.host_count, job->threads, leader);
        if (!is_of_my_host_or_another(job, thread, peers, record.host_count))
            return PGAS_ERR_SYSTEM;
        if (leader[thread] == UNKNOWN) {
            pgasi_log("thread %u is not in its host's list of threads", thread);
            return PGAS_ERR_SYSTEM;
        }
    }
    return PGAS_OK;
}

/* Numbers the nodes in the order of their leaders, which `node_of` holds before. */
static void number_nodes(uint32_t threads, uint32_t *node_of)
{
    for (uint32_t thread = 0; thread < threads; thread++) {
        bool is_leader = node_of[thread] == thread;
        uint32_t node = is_leader ? pgasi_nodes.count : node_of[node_of[thread]];
        if (is_leader)
            pgasi_nodes.leaders[pgasi_nodes.count++] = thread;
        pgasi_nodes.sizes[node]++;
        node_of[thread] = node;
    }
}

pgas_status_t pgasi_node_map(const pgasi_boot_t *boot, const pgasi_boot_job_t *job,
                             const char *machine, uint32_t *node_of, uint64_t *heap_size)
{
    pgas_status_t status = PGAS_ERR_NO_MEMORY;
    uint32_t *peers = malloc(job->threads * sizeof *peers);
    pgasi_nodes.leaders = calloc(job->threads, sizeof *pgasi_nodes.leaders);
    pgasi_nodes.sizes = calloc(job->threads, sizeof *pgasi_nodes.sizes);
    if (peers == NULL || pgasi_nodes.leaders == NULL || pgasi_nodes.sizes == NULL) {
        pgasi_log("no memory for a table of %u threads", job->threads);
    } else {
        for (uint32_t thread = 0; thread < job->threads; thread++)
            node_of[thread] = UNKNOWN;
        status = walk_hosts(boot, job, machine, node_of, peers, heap_size);
    }
    if (status == PGAS_OK) {
        number_nodes(job->threads, node_of);
        pgasi_nodes.mine = node_of[job->thread];
        if (pgasi_nodes.machine_threads < job->host_count)
            pgasi_nodes.machine_threads = job->host_count;
    }
    free(peers);
    return status;
}

void pgasi_node_forget(void)
{
    free(pgasi_nodes.leaders);
    free(pgasi_nodes.sizes);
    pgasi_nodes = (pgasi_nodes_t){0};
}
