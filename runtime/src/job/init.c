#include <pgas/job.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <pgas/sync.h>

#include "base/config.h"
#include "base/log.h"
#include "base/self.h"
#include "boot/boot.h"
#include "boot/launch.h"
#include "copy/handle_check.h"
#include "copy/implicit_check.h"
#include "copy/value.h"
#include "heap/heap_node.h"
#include "job/ending.h"
#include "job/heartbeat.h"
#include "job/stats_report.h"
#include "lock/lock.h"
#include "net/net.h"
#include "node/address_record.h"
#include "node/node.h"
#include "node/segment.h"
#include "sync/barrier.h"
#include "sync/collective.h"
#include "sync/wait.h"

/* Before the others are known: everything that can go wrong with this thread alone. */
static pgas_status_t prepare(const pgasi_boot_job_t *job, pgasi_address_record_t *card)
{
    pgas_status_t status = pgasi_config_load();
    if (status == PGAS_OK)
        status = pgasi_node_join(job);
    if (status == PGAS_OK)
        status = pgasi_stats_check();
    if (status != PGAS_OK)
        return status;
    pgasi_wait_init(job->host_count);
    if (pgasi_node_is_leader())
        status = pgasi_segment_make(job->host_count, &card->address, &card->heap_size);
    if (status == PGAS_OK && pgasi_node_several(job))
        status = pgasi_net_init(job->host_count == job->threads);
    return status;
}

static pgas_status_t make_secret(pgasi_address_record_t *card)
{
    if (getrandom(&card->secret, sizeof card->secret, 0) == sizeof card->secret)
        return PGAS_OK;
    pgasi_log("no random number for the job's secret: %s", strerror(errno));
    return PGAS_ERR_SYSTEM;
}

/* All meet here, whatever came of their preparation: a PMIx server may hang if the job is ended
 * while a thread is connecting. */
static pgas_status_t meet(const pgasi_boot_job_t *job, pgasi_address_record_t *card)
{
    pgasi_log_hold();
    card->host_count = job->host_count;
    pgas_status_t prepared = make_secret(card);
    if (prepared == PGAS_OK)
        prepared = prepare(job, card);
    card->failed = prepared != PGAS_OK;
    pgas_status_t status = pgasi_address_record_publish(pgasi_boot(), job, card);
    if (status == PGAS_OK)
        status = pgasi_boot()->exchange();
    bool is_for_thread_0 = prepared != PGAS_OK && status == PGAS_OK && job->thread != 0 &&
                           pgasi_address_record_has_failed(pgasi_boot(), 0);
    pgasi_log_release(is_for_thread_0);
    return prepared != PGAS_OK ? prepared : status;
}

/* What this thread knows of the others. Their segments are mapped later. */
static pgas_status_t make_peers(const pgasi_boot_job_t *job, uint64_t *heap_size)
{
    pgasi_peer_t *peers = aligned_alloc(_Alignof(pgasi_peer_t), job->threads * sizeof *peers);
    uint32_t *node_of = malloc(job->threads * sizeof *node_of);
    pgas_status_t status = PGAS_ERR_NO_MEMORY;
    if (peers == NULL || node_of == NULL)
        pgasi_log("no memory for a table of %u threads", job->threads);
    else
        status = pgasi_node_map(pgasi_boot(), job, node_of, heap_size);
    for (uint32_t i = 0; i < job->threads && status == PGAS_OK; i++)
        peers[i] = (pgasi_peer_t){.base = NULL, .node = node_of[i]};
    if (status == PGAS_OK)
        pgasi_job.peers = peers;
    else
        free(peers);
    free(node_of);
    return status;
}

/* The table stays for calls that come too late. */
static void unmap_peers(void)
{
    if (pgasi_job.peers == &pgasi_nobody)
        return;
    for (uint32_t i = 0; i < pgasi_job.threads; i++)
        pgasi_job.peers[i].base = NULL;
}

static pgas_status_t map_segments(uint64_t heap_size, const pgasi_address_record_t *mine)
{
    pgasi_address_record_t card = *mine;
    pgas_status_t status = PGAS_OK;
    if (!pgasi_node_is_leader())
        status = pgasi_address_record_lookup(pgasi_boot(), pgasi_nodes.threads[0], &card, NULL);
    if (status == PGAS_OK)
        status = pgasi_segment_map(heap_size, &card.address);
    for (uint32_t i = 0; i < pgasi_nodes.threads_count && status == PGAS_OK; i++)
        pgasi_job.peers[pgasi_nodes.threads[i]].base =
            pgasi_node_memory.segments + i * pgasi_node_memory.stride;
    return status;
}

/* The leaders watch each other in a ring. */
static void watch_hosts(void)
{
    uint32_t before = (pgasi_nodes.mine + pgasi_nodes.count - 1) % pgasi_nodes.count;
    uint32_t after = (pgasi_nodes.mine + 1) % pgasi_nodes.count;
    pgasi_heartbeat_start(pgasi_nodes.leaders[before], pgasi_nodes.leaders[after]);
}

static pgas_status_t start_network(const pgasi_boot_job_t *job, const pgasi_address_record_t *mine)
{
    pgasi_address_record_t card = *mine;
    if (pgasi_nodes.count == 1)
        return PGAS_OK;
    if (job->thread != 0) {
        pgas_status_t status = pgasi_address_record_lookup(pgasi_boot(), 0, &card, NULL);
        if (status != PGAS_OK)
            return status;
    }
    if (pgasi_node_is_leader() && job->host_count < job->threads)
        watch_hosts();
    pgasi_sync_serve();
    pgasi_heap_serve();
    pgasi_lock_serve();
    pgasi_ending_serve();
    return pgasi_net_start(card.secret);
}

static void take_down(void)
{
    pgasi_is_in_job = false;
    unmap_peers();
    pgasi_segment_destroy();
    pgasi_node_forget();
}

pgas_status_t pgas_init(void)
{
    if (pgasi_is_in_job || pgasi_has_left_job)
        pgasi_fatal(__func__, pgasi_has_left_job ? "called after pgas_finalize" : "called twice");
    pgasi_boot_job_t job;
    pgasi_address_record_t card;
    memset(&card, 0, sizeof card);
    uint64_t heap_size = 0;
    pgasi_net_leave_crashes_alone();
    pgas_status_t status = pgasi_boot()->init(&job);
    if (status != PGAS_OK)
        return status;
    setvbuf(stdout, NULL, _IOLBF, 0); /* a launcher passes on whole lines */
    pgasi_job.thread = job.thread;
    pgasi_job.threads = job.threads;
    status = pgasi_launch_check(&job);
    if (status == PGAS_OK)
        status = meet(&job, &card);
    if (status == PGAS_OK)
        status = make_peers(&job, &heap_size);
    if (status == PGAS_OK)
        status = map_segments(heap_size, &card);
    if (status == PGAS_OK)
        status = start_network(&job, &card);
    if (status != PGAS_OK) {
        /* The others wait for this thread; a launcher told so adds no line of its own. */
        if (pgasi_boot() != &pgasi_boot_single)
            pgasi_boot()->abort(EXIT_FAILURE);
        take_down();
        return status;
    }
    pgasi_is_in_job = true;
    pgasi_collective_begin(PGASI_INIT, 0, NULL);
    pgas_barrier();
    pgasi_collective_end();
    pgasi_segment_settle();
    return PGAS_OK;
}

/* Nobody closes connections that another still needs. */
static void leave_network(void)
{
    if (!pgasi_net_is_up)
        return;
    pgasi_heartbeat_stop();
    pgasi_net_expect_end();
    pgasi_boot()->exchange();
    pgasi_net_finalize();
}

void pgas_finalize(void)
{
    pgasi_collective_begin(PGASI_FINALIZE, 0, NULL);
    if (pgasi_net_is_up) /* also for what the program has not waited for: UCX wants to be at rest */
        pgasi_net_wait_all();
    pgas_barrier();
    pgasi_stats_report();
    pgasi_handle_report();
    pgasi_implicit_report();
    pgasi_value_report();
    fflush(stdout);
    pgas_barrier();
    leave_network();
    take_down();
    pgasi_has_left_job = true;
    pgasi_boot()->finalize();
}
