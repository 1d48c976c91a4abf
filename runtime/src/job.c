#include <pgas/job.h>

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pgas/sync.h>

#include "boot.h"
#include "config.h"
#include "log.h"
#include "node.h"
#include "segment.h"
#include "stats_report.h"
#include "wait.h"

/* Until pgas_init, and after pgas_finalize: a thread that owns nothing. */
pgasi_job_t pgasi_job = {.peers = NULL, .thread = 0, .threads = 1};

static pgas_status_t make_peers(const pgasi_boot_job_t *job)
{
    pgasi_peer_t *peers = aligned_alloc(_Alignof(pgasi_peer_t), job->threads * sizeof *peers);
    if (peers == NULL) {
        pgasi_log("no memory for a table of %u threads", job->threads);
        return PGAS_ERR_NO_MEMORY;
    }
    for (uint32_t i = 0; i < job->threads; i++)
        peers[i] = (pgasi_peer_t){
            .base = pgasi_node_memory.segments + i * pgasi_node_memory.stride,
            .node = pgasi_node_of(i, job->threads),
        };
    pgasi_job.peers = peers;
    return PGAS_OK;
}

static pgas_status_t check_hosts(const pgasi_boot_job_t *job)
{
    if (job->host_threads == job->threads)
        return PGAS_OK;
    pgasi_log_alike(
        "%u of the job's %u threads are on this host: this build has no network to reach the "
        "others; start all on one host",
        job->host_threads, job->threads);
    return PGAS_ERR_UNSUPPORTED;
}

static void say_nodes(uint32_t threads)
{
    uint32_t nodes = pgasi_node_count(threads);
    if (nodes > 1)
        pgasi_note("%u threads on %u emulated nodes: they are counted as such, but still share "
                   "memory, since this build has no network",
                   threads, nodes);
}

static pgas_status_t set_up(const pgasi_boot_job_t *job)
{
    pgas_status_t status = pgasi_config_load();
    if (status == PGAS_OK)
        status = pgasi_node_check(job->threads);
    if (status == PGAS_OK)
        status = pgasi_stats_check();
    if (status == PGAS_OK)
        status = check_hosts(job);
    if (status != PGAS_OK)
        return status;
    pgasi_wait_init(job->host_threads);
    status = pgasi_segment_create(pgasi_boot(), job);
    return status == PGAS_OK ? make_peers(job) : status;
}

pgas_status_t pgas_init(void)
{
    if (pgasi_job.peers != NULL) {
        pgasi_log("pgas_init: called twice");
        return PGAS_ERR_ARGUMENT;
    }
    pgasi_boot_job_t job;
    pgas_status_t status = pgasi_boot()->init(&job);
    if (status != PGAS_OK)
        return status;
    setvbuf(stdout, NULL, _IOLBF, 0); /* a launcher passes on whole lines */
    pgasi_job.thread = job.thread;
    pgasi_job.threads = job.threads;
    /* A PMIx server may hang if the job is ended while a thread is connecting: all meet first. */
    status = pgasi_boot()->exchange();
    if (status == PGAS_OK)
        status = set_up(&job);
    if (status != PGAS_OK) {
        /* The others wait for this thread; a launcher told so adds no line of its own. */
        if (pgasi_boot() != &pgasi_boot_single)
            pgasi_boot()->abort(EXIT_FAILURE);
        return status;
    }
    pgas_barrier();
    pgasi_segment_settle();
    say_nodes(job.threads);
    return PGAS_OK;
}

void pgas_finalize(void)
{
    if (pgasi_job.peers == NULL)
        pgasi_fatal("pgas_finalize", "called without pgas_init");
    pgas_barrier();
    pgasi_stats_report();
    fflush(stdout);
    pgas_barrier();
    pgasi_boot()->finalize();
    free(pgasi_job.peers);
    pgasi_job.peers = NULL;
    pgasi_segment_destroy();
}

/* The first thread to end the job says why, and its status counts. The others would most often
 * repeat it: they wait to be killed. */
static void claim_end(void)
{
    pgasi_control_t *control = pgasi_node_memory.control;
    if (control != NULL && atomic_exchange(&control->ending, 1) != 0)
        sleep(1);
}

void pgas_exit(int status)
{
    /* Outside the job a launcher tells the status; a failed call has told the reason. */
    bool silent = status == 0 || pgasi_job.peers == NULL || pgasi_log_has_failed();
    claim_end();
    if (!silent)
        pgasi_log("pgas_exit(%d): the job is ended", status);
    pgasi_boot()->abort(status);
}

void pgas_fail(int status, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    claim_end();
    dprintf(STDERR_FILENO, "%s: %s\n", program_invocation_short_name, text);
    pgasi_boot()->abort(status);
}

void pgasi_fatal(const char *call, const char *format, ...)
{
    char reason[512];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    claim_end();
    pgasi_log("%s: %s", call, reason);
    pgasi_boot()->abort(EXIT_FAILURE);
}
