#include <pgas/job.h>

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <pgas/sync.h>

#include "boot.h"
#include "card.h"
#include "collective.h"
#include "config.h"
#include "ending.h"
#include "handle_check.h"
#include "host_watch.h"
#include "implicit_check.h"
#include "in_job.h"
#include "launch.h"
#include "log.h"
#include "net.h"
#include "node.h"
#include "segment.h"
#include "serve.h"
#include "stats_report.h"
#include "value.h"
#include "wait.h"

/* Until pgas_init, a thread that owns nothing. Nobody's memory is mapped, so that accesses to
 * values take the way of those to other nodes, where it is looked at why; so it is after
 * pgas_finalize. */
static pgasi_peer_t outside;
pgasi_job_t pgasi_job = {.peers = &outside, .thread = 0, .threads = 1};

bool pgasi_is_in_job;
static bool has_left_job;

enum {
    /** How long thread 0 may take to say who ends the job, in milliseconds. */
    ENDING_LIMIT = 1000,
    /** How long a launcher may take to kill the threads of other hosts, in seconds. */
    KILLING_TAKES = 10
};

/* The first one of the job, where this is thread 0's node; else of the node. */
static uint32_t is_first_to_end(void)
{
    return atomic_exchange(&pgasi_node_memory.control->ending, 1) == 0;
}

static size_t serve_ending(uint32_t source, const void *request, size_t nbytes, void *reply)
{
    (void)source;
    (void)request;
    (void)nbytes;
    uint32_t first = is_first_to_end();
    memcpy(reply, &first, sizeof first);
    return sizeof first;
}

/* Thread 0 may be dead or busy: then the word of this node has to do. */
static bool thread_0_allows(void)
{
    static atomic_bool asked; /* the question itself may fail, and end the job */
    uint32_t first;
    bool can_ask = pgasi_nodes.mine != 0 && pgasi_net_may_call() && !atomic_exchange(&asked, true);
    return !can_ask ||
           !pgasi_net_call_within(ENDING_LIMIT, 0, PGASI_SERVICE_ENDING, "", 1, &first,
                                  sizeof first) ||
           first != 0;
}

/* The first thread to end the job says why, and its status counts. The others would most often
 * repeat it: they wait to be killed. */
static void claim_end(void)
{
    if (pgasi_node_memory.control != NULL && (!is_first_to_end() || !thread_0_allows()))
        sleep(KILLING_TAKES);
}

/* Before the others are known: everything that can go wrong with this thread alone. */
static pgas_status_t prepare(const pgasi_boot_job_t *job, pgasi_card_t *card)
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

static pgas_status_t make_secret(pgasi_card_t *card)
{
    if (getrandom(&card->secret, sizeof card->secret, 0) == sizeof card->secret)
        return PGAS_OK;
    pgasi_log("no random number for the job's secret: %s", strerror(errno));
    return PGAS_ERR_SYSTEM;
}

/* All meet here, whatever came of their preparation: a PMIx server may hang if the job is ended
 * while a thread is connecting. */
static pgas_status_t meet(const pgasi_boot_job_t *job, pgasi_card_t *card)
{
    pgasi_log_hold();
    card->host_count = job->host_count;
    pgas_status_t prepared = make_secret(card);
    if (prepared == PGAS_OK)
        prepared = prepare(job, card);
    card->failed = prepared != PGAS_OK;
    pgas_status_t status = pgasi_card_publish(pgasi_boot(), job, card);
    if (status == PGAS_OK)
        status = pgasi_boot()->exchange();
    bool is_for_thread_0 = prepared != PGAS_OK && status == PGAS_OK && job->thread != 0 &&
                           pgasi_card_has_failed(pgasi_boot(), 0);
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
    if (pgasi_job.peers == &outside)
        return;
    for (uint32_t i = 0; i < pgasi_job.threads; i++)
        pgasi_job.peers[i].base = NULL;
}

static pgas_status_t map_segments(uint64_t heap_size, const pgasi_card_t *mine)
{
    pgasi_card_t card = *mine;
    pgas_status_t status = PGAS_OK;
    if (!pgasi_node_is_leader())
        status = pgasi_card_lookup(pgasi_boot(), pgasi_nodes.threads[0], &card, NULL);
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
    pgasi_host_watch_start(pgasi_nodes.leaders[before], pgasi_nodes.leaders[after]);
}

static pgas_status_t start_network(const pgasi_boot_job_t *job, const pgasi_card_t *mine)
{
    pgasi_card_t card = *mine;
    if (pgasi_nodes.count == 1)
        return PGAS_OK;
    if (job->thread != 0) {
        pgas_status_t status = pgasi_card_lookup(pgasi_boot(), 0, &card, NULL);
        if (status != PGAS_OK)
            return status;
    }
    if (pgasi_node_is_leader() && job->host_count < job->threads)
        watch_hosts();
    pgasi_sync_serve();
    pgasi_heap_serve();
    pgasi_lock_serve();
    pgasi_net_serve(PGASI_SERVICE_ENDING, serve_ending);
    return pgasi_net_start(card.secret);
}

static void take_down(void)
{
    pgasi_is_in_job = false;
    unmap_peers();
    pgasi_segment_destroy();
    pgasi_node_forget();
}

void pgasi_outside_job(const char *call)
{
    const char *number = getenv("PMIX_RANK");
    if (!has_left_job && number != NULL)
        pgasi_job.thread = (uint32_t)strtoul(number, NULL, 10);
    pgasi_fatal(call, has_left_job ? "called after pgas_finalize" : "called before pgas_init");
}

pgas_status_t pgas_init(void)
{
    if (pgasi_is_in_job || has_left_job)
        pgasi_fatal(__func__, has_left_job ? "called after pgas_finalize" : "called twice");
    pgasi_boot_job_t job;
    pgasi_card_t card;
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
    pgasi_host_watch_stop();
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
    has_left_job = true;
    pgasi_boot()->finalize();
}

void pgas_exit(int status)
{
    /* Outside the job a launcher tells the status; a failed call has told the reason. */
    bool silent = status == 0 || !pgasi_is_in_job || pgasi_log_has_failed();
    claim_end();
    if (!silent)
        pgasi_log("pgas_exit(%d): the job is ended", status);
    pgasi_end_job(status);
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
    pgasi_end_job(status);
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
    pgasi_end_job(EXIT_FAILURE);
}
