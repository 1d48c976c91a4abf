#include <pgas/job.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <pgas/sync.h>

#include "am/progress.h"
#include "base/agent.h"
#include "base/clock.h"
#include "base/config.h"
#include "base/in_job.h"
#include "base/log.h"
#include "base/self.h"
#include "boot/boot.h"
#include "boot/launch.h"
#include "coll/choice.h"
#include "coll/flight.h"
#include "coll/library.h"
#include "copy/handle_check.h"
#include "copy/implicit_check.h"
#include "copy/value.h"
#include "heap/heap_node.h"
#include "job/agreement.h"
#include "job/ending.h"
#include "job/heartbeat.h"
#include "job/peers.h"
#include "job/process_exit.h"
#include "job/stats_report.h"
#include "lock/lock_remote.h"
#include "net/net.h"
#include "node/address_record.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/processors.h"
#include "node/segment.h"
#include "sync/barrier.h"
#include "sync/collective.h"
#include "sync/registration.h"
#include "sync/wait.h"
#include "team/between.h"
#include "team/calls.h"
#include "team/team.h"

enum {
    LOOK_US = 100000, /* for the watchdog */
    LINGER_US = 50
};

/* Everything that can fail in this thread alone, before it knows the others. */
static pgas_status_t prepare(const pgasi_boot_job_t *job, pgasi_address_record_t *record)
{
    pgas_status_t status = PGAS_OK;
    if (getrandom(&record->secrets, sizeof record->secrets, 0) != sizeof record->secrets) {
        pgasi_log("no random numbers for the job's secrets: %s", strerror(errno));
        return PGAS_ERR_SYSTEM;
    }
    status = pgasi_config_load();
    if (status == PGAS_OK)
        status = pgasi_choice_load();
    pgasi_agreement_tell(record);
    if (status == PGAS_OK)
        status = pgasi_node_join(job);
    if (status == PGAS_OK)
        status = pgasi_stats_check();
    if (status != PGAS_OK)
        return status;
    pgasi_wait_init(job->host_count);
    bool has_network = pgasi_node_several(job);
    if (has_network)
        status = pgasi_net_init(job->host_count == job->threads);
    record->has_gate = has_network && pgasi_net_has_gate();
    bool is_of_network = has_network && strcmp(pgasi_settings.segment, "ucx") == 0;
    if (status == PGAS_OK && pgasi_node_is_leader())
        status = pgasi_segment_make(job->host_count, is_of_network ? pgasi_net_memory_open : NULL,
                                    &record->address, &record->heap_size);
    return status;
}

/* Until the threads have met nobody knows who is missing, and a thread alone may be: on each host
 * two tell. */
static bool tells_of_start;

static void watch_start(void)
{
    static uint64_t begin;
    static uint64_t next;
    uint64_t limit = pgasi_settings.watchdog * 1000;
    uint64_t now = pgasi_milliseconds();
    if (begin == 0) {
        begin = now;
        next = now + limit;
    }
    if (limit == 0 || !tells_of_start || now < next)
        return;
    pgasi_tell("waiting for %" PRIu64 " s: pgas_init: not all %u threads of the job have called it",
               (now - begin) / 1000, pgasi_job.threads);
    next = now + (now - begin);
}

/* Publishes this thread's address record. Every thread comes here, even if its preparation failed:
 * a PMIx server may hang if the job is ended while a thread is connecting. */
static pgas_status_t publish(const pgasi_boot_job_t *job, pgasi_address_record_t *record)
{
    pgasi_log_hold();
    tells_of_start = job->thread == job->host_peers[0] ||
                     (job->host_count > 1 && job->thread == job->host_peers[1]);
    record->host_count = job->host_count;
    pgasi_machine_tell(record->machine);
    pgas_status_t prepared = prepare(job, record);
    record->failed = prepared != PGAS_OK;
    pgas_status_t status = pgasi_address_record_publish(pgasi_boot(), job, record);
    if (status == PGAS_OK)
        status = pgasi_boot()->exchange(watch_start, LOOK_US);
    bool is_for_thread_0 = prepared != PGAS_OK && status == PGAS_OK && job->thread != 0 &&
                           pgasi_address_record_has_failed(pgasi_boot(), 0);
    pgasi_log_release(is_for_thread_0);
    return prepared != PGAS_OK ? prepared : status;
}

/* Thread 0's secrets are the job's. */
static pgas_status_t start_network(const pgasi_boot_job_t *job,
                                   const pgasi_address_record_t *record,
                                   const pgasi_address_record_t *first)
{
    if (pgasi_nodes.count == 1)
        return PGAS_OK;
    pgas_status_t status =
        pgasi_agreement_check_network(record, first, job->host_count < job->threads);
    if (status != PGAS_OK)
        return status;
    if (job->host_count < job->threads)
        pgasi_heartbeat_start();
    pgasi_sync_serve();
    pgasi_team_serve();
    pgasi_heap_serve();
    pgasi_lock_serve();
    pgasi_ending_serve();
    return pgasi_net_start(&first->secrets);
}

static pgas_status_t join(const pgasi_boot_job_t *job)
{
    pgasi_address_record_t record;
    memset(&record, 0, sizeof record);
    uint64_t heap_size = 0;
    pgas_status_t status = pgasi_launch_check(job);
    if (status == PGAS_OK)
        status = publish(job, &record);
    pgasi_address_record_t first = record;
    if (status == PGAS_OK && job->thread != 0)
        status = pgasi_address_record_lookup(pgasi_boot(), 0, &first, NULL);
    if (status == PGAS_OK)
        status = pgasi_agreement_check(&record, &first);
    if (status == PGAS_OK)
        status = pgasi_peers_create(job, &record, &heap_size);
    if (status == PGAS_OK)
        status = pgasi_peers_map(heap_size, &record);
    if (status == PGAS_OK)
        pgasi_processors_tell();
    if (status == PGAS_OK)
        status = pgasi_am_start();
    if (status == PGAS_OK)
        pgasi_team_start();
    if (status == PGAS_OK)
        status = start_network(job, &record, &first);
    return status;
}

/* In a child process nothing of what serves the job is there: no other OS thread, and connections
 * that are its parent's. */
static void leave_in_child(void)
{
    if (!pgasi_is_in_job)
        return;
    pgasi_is_in_job = false;
    pgasi_has_left_job = true;
    pgasi_is_child = true;
    pgasi_self_leave();
}

static void release_memory(void)
{
    pgasi_is_in_job = false;
    pgasi_team_finish();
    pgasi_am_finish();
    pgasi_agents_finish();
    pgasi_peers_unmap();
    pgasi_segment_destroy();
    pgasi_node_forget();
}

/* Returns only outside a launcher: with one, others wait for this thread. A launcher that is asked
 * to abort adds no line. */
static pgas_status_t fail(pgas_status_t status)
{
    if (pgasi_boot() != &pgasi_boot_single)
        pgasi_boot()->abort(EXIT_FAILURE);
    return status;
}

pgas_status_t pgas_init(void)
{
    pgasi_require_no_child(__func__);
    if (pgasi_is_in_job || pgasi_has_left_job)
        pgasi_fatal(__func__, pgasi_has_left_job ? "called after pgas_finalize" : "called twice");
    pgasi_boot_job_t job;
    pgasi_net_leave_crashes_alone();
    pgasi_guess_thread(); /* for lines of the bootstrap */
    pgas_status_t status = pgasi_launch_claim();
    if (status != PGAS_OK) {
        pgasi_job.thread = 0;
        return status; /* the job goes on without this process */
    }
    status = pgasi_boot()->init(&job);
    if (status != PGAS_OK)
        return fail(status);
    setvbuf(stdout, NULL, _IOLBF, 0); /* launchers forward whole lines */
    pgasi_job.thread = job.thread;
    pgasi_job.threads = job.threads;
    status = join(&job);
    if (status != PGAS_OK) {
        pgasi_segment_unlink(); /* first: the thread that has failed may end this one */
        pgasi_address_record_await_end();
        fail(status);
        release_memory();
        return status;
    }
    pgasi_is_in_job = true;
    pthread_atfork(NULL, NULL, leave_in_child);
    if (pgasi_net_is_up)
        pgasi_process_exit_watch();
    pgasi_collective_begin(PGASI_INIT, 0, NULL);
    pgasi_handlers_agree(__func__);
    pgasi_processors_count(job.host_count);
    if (pgasi_processors_are_few())
        pgasi_wait_crowd();
    pgasi_collective_end();
    pgasi_segment_settle();
    pgasi_choice_show();
    pgasi_library_start();
    return PGAS_OK;
}

/* No thread closes a connection that another still needs, or is still making. */
static void leave_network(void)
{
    if (!pgasi_net_is_up)
        return;
    pgasi_heartbeat_stop();
    pgasi_net_expect_end();
    pgasi_am_end();
    pgasi_net_wait_sent();
    pgasi_boot()->exchange(pgasi_net_interval() > 0 ? pgasi_net_linger : NULL, LINGER_US);
    pgasi_net_finalize();
}

/* Returns false if the statistics that were asked for are not there. */
static bool report(void)
{
    bool is_done = pgasi_stats_report();
    pgasi_handle_report("pgas_finalize");
    pgasi_implicit_report("pgas_finalize");
    pgasi_value_report("pgas_finalize");
    fflush(stdout);
    return is_done;
}

/* Returns what `report` does. */
static bool leave_job(void)
{
    pgasi_collective_begin(PGASI_FINALIZE, 0, NULL);
    pgasi_coll_wait_all();
    pgasi_team_settle_all();
    pgasi_lock_finish();
    if (pgasi_net_is_up) /* the program may not have waited; UCX must be idle before it ends */
        pgasi_net_wait_everybody();
    pgas_barrier();
    pgasi_library_finish();
    bool is_done = report();
    pgas_barrier();
    leave_network();
    return is_done;
}

static void require_nothing_open(void)
{
    uint32_t others = pgasi_agents();
    if (pgasi_agent != 0)
        pgasi_fatal("pgas_finalize", "called by another operating-system thread than the main one");
    if (others > 0)
        pgasi_fatal("pgas_finalize", "called while %u other operating-system thread%s attached",
                    others, others == 1 ? " is" : "s are");
    pgasi_team_require_waited("pgas_finalize");
}

void pgas_finalize(void)
{
    pgasi_require_job(__func__);
    require_nothing_open();
    if (!leave_job())
        pgasi_process_exit_fail();
    release_memory();
    pgasi_has_left_job = true;
    pgasi_boot()->finalize();
    pgasi_launch_release();
}

int pgasi_finalize_in_place(void)
{
    bool is_done = leave_job();
    pgasi_is_in_job = false;
    pgasi_has_left_job = true;
    pgasi_boot()->finalize();
    pgasi_launch_release();
    return is_done ? EXIT_SUCCESS : EXIT_FAILURE;
}
