#include "boot/boot.h"

#include <limits.h>
#include <pmix.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/self.h"
#include "base/signals.h"
#include "boot/ranks.h"

enum {
    LAUNCHER_MS = 10000 /* a busy one needs some */
};

static pmix_proc_t self;
static uint32_t *host_peers;
static bool has_several_hosts;
static bool is_connected;
/* Another try crashes. */
static bool is_refused;

static pgas_status_t check(pmix_status_t status, const char *call)
{
    if (status == PMIX_SUCCESS)
        return PGAS_OK;
    pgasi_log("%s: %s", call, PMIx_Error_string(status));
    return PGAS_ERR_SYSTEM;
}

/* Reads a number that the launcher keeps for the whole job. */
static pgas_status_t get_number(const char *key, uint32_t *number)
{
    pmix_proc_t job = self;
    job.rank = PMIX_RANK_WILDCARD;
    pmix_value_t *value;
    pgas_status_t status = check(PMIx_Get(&job, key, NULL, 0, &value), key);
    if (status != PGAS_OK)
        return status;
    pmix_status_t taken;
    uint64_t wide = 0;
    PMIX_VALUE_GET_NUMBER(taken, value, wide, uint64_t);
    PMIX_VALUE_RELEASE(value);
    if (taken != PMIX_SUCCESS || wide > UINT32_MAX) {
        pgasi_log("what the launcher says of '%s' is no number of 32 bits", key);
        return PGAS_ERR_SYSTEM;
    }
    *number = (uint32_t)wide;
    return PGAS_OK;
}

/* The ranks on this host come as a text. */
static pgas_status_t get_host_peers(pgasi_boot_job_t *job)
{
    pmix_proc_t wildcard = self;
    wildcard.rank = PMIX_RANK_WILDCARD;
    pmix_value_t *value;
    pgas_status_t status =
        check(PMIx_Get(&wildcard, PMIX_LOCAL_PEERS, NULL, 0, &value), PMIX_LOCAL_PEERS);
    if (status != PGAS_OK)
        return status;
    const char *text = value->type == PMIX_STRING ? value->data.string : NULL;
    status = pgasi_ranks_parse(text, job->threads, &host_peers, &job->host_count);
    job->host_peers = host_peers;
    bool is_there = false;
    for (uint32_t i = 0; i < job->host_count; i++)
        is_there = is_there || host_peers[i] == job->thread;
    if (status == PGAS_OK && !is_there) {
        pgasi_log("the launcher names threads '%.200s' on this host, without this one", text);
        status = PGAS_ERR_SYSTEM;
    }
    PMIX_VALUE_RELEASE(value);
    return status;
}

/* The launcher's daemon on this host has ended, as after a second Ctrl-C to mpirun: nobody else
 * would end this thread, and nobody would read its messages. */
static void on_launcher_lost(size_t handler, pmix_status_t status, const pmix_proc_t *source,
                             pmix_info_t info[], size_t info_count, pmix_info_t results[],
                             size_t result_count, pmix_event_notification_cbfunc_fn_t done,
                             void *done_data)
{
    (void)handler;
    (void)status;
    (void)source;
    (void)info;
    (void)info_count;
    (void)results;
    (void)result_count;
    (void)done;
    (void)done_data;
    _exit(EXIT_FAILURE);
}

/* It makes a thread. */
static pmix_status_t connect_launcher(void)
{
    sigset_t before;
    pgasi_block_signals(&before);
    pmix_status_t status = PMIx_Init(&self, NULL, 0);
    pgasi_restore_signals(&before);
    return status;
}

static pgas_status_t pmix_init(pgasi_boot_job_t *job)
{
    pgas_status_t status = check(connect_launcher(), "PMIx_Init");
    if (status == PGAS_OK) {
        is_connected = true;
        pmix_status_t lost = PMIX_ERR_LOST_CONNECTION;
        PMIx_Register_event_handler(&lost, 1, NULL, 0, on_launcher_lost, NULL, NULL);
        job->thread = self.rank;
        status = get_number(PMIX_JOB_SIZE, &job->threads);
    }
    is_refused = !is_connected;
    if (status == PGAS_OK && (job->thread >= job->threads || job->threads > INT_MAX)) {
        pgasi_log("the launcher calls this thread %u of %u", job->thread, job->threads);
        status = PGAS_ERR_SYSTEM;
    }
    if (status == PGAS_OK)
        status = get_host_peers(job);
    if (status == PGAS_OK)
        has_several_hosts = job->host_count < job->threads;
    return status;
}

static pgas_status_t pmix_publish(const char *key, const void *bytes, size_t nbytes)
{
    char copy[nbytes + 1]; /* PMIx does not promise not to change the bytes */
    memcpy(copy, bytes, nbytes);
    pmix_value_t value = {
        .type = PMIX_BYTE_OBJECT,
        .data.bo = {.bytes = copy, .size = nbytes},
    };
    return check(PMIx_Put(PMIX_GLOBAL, key, &value), "PMIx_Put");
}

/* The outcome of a fence, which a thread of PMIx tells. */
typedef struct fence {
    pmix_status_t status;
    sem_t is_complete;
} fence_t;

static void on_complete(pmix_status_t status, void *argument)
{
    fence_t *fence = argument;
    fence->status = status;
    sem_post(&fence->is_complete);
}

/* True if it is complete after so long. */
static bool await(fence_t *fence, unsigned interval_us)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += (long)(interval_us % 1000000) * 1000;
    end.tv_sec += interval_us / 1000000 + end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return sem_clockwait(&fence->is_complete, CLOCK_MONOTONIC, &end) == 0;
}

static pmix_status_t fence(const pmix_info_t *info, void (*meanwhile)(void), unsigned interval_us)
{
    if (meanwhile == NULL)
        return PMIx_Fence(NULL, 0, info, 1);
    fence_t state = {.status = PMIX_ERROR};
    sem_init(&state.is_complete, 0, 0);
    pmix_status_t status = PMIx_Fence_nb(NULL, 0, info, 1, on_complete, &state);
    if (status == PMIX_SUCCESS) {
        while (!await(&state, interval_us))
            meanwhile();
        status = state.status;
    }
    sem_destroy(&state.is_complete);
    return status == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : status;
}

/* The first fence of this program has been passed. */
static bool has_met;

static pgas_status_t pmix_exchange(void (*meanwhile)(void), unsigned interval_us)
{
    pgas_status_t committed = check(PMIx_Commit(), "PMIx_Commit");
    if (committed != PGAS_OK)
        return committed;
    pmix_info_t info;
    bool collect = true;
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    pmix_status_t status = fence(&info, meanwhile, interval_us);
    /* Where the threads run one program after another, the one before may leave the job only now on
     * some: the fence is broken for those that wait in it, once for each such thread at most. */
    uint32_t left = has_met ? 0 : pgasi_job.threads;
    for (; status == PMIX_ERR_PARTIAL_SUCCESS && left > 0; left--)
        status = fence(&info, meanwhile, interval_us);
    has_met = true;
    PMIX_INFO_DESTRUCT(&info);
    /* It fails if a thread has died: the launcher reports that and ends the job. */
    if (status != PMIX_SUCCESS)
        pgasi_pause(LAUNCHER_MS);
    return check(status, "PMIx_Fence");
}

static pgas_status_t pmix_lookup(uint32_t thread, const char *key, void *bytes, size_t size,
                                 size_t *nbytes)
{
    pmix_proc_t peer = self;
    peer.rank = thread;
    pmix_value_t *value;
    pgas_status_t status = check(PMIx_Get(&peer, key, NULL, 0, &value), "PMIx_Get");
    if (status != PGAS_OK)
        return status;
    if (value->type == PMIX_BYTE_OBJECT && value->data.bo.size <= size) {
        *nbytes = value->data.bo.size;
        memcpy(bytes, value->data.bo.bytes, *nbytes);
    } else {
        pgasi_log("what thread %u has published as '%s' is not as expected", thread, key);
        status = PGAS_ERR_SYSTEM;
    }
    PMIX_VALUE_RELEASE(value);
    return status;
}

/* Outside the job too: a launcher that is told to end it adds no line of its own. */
static PGAS_NORETURN void pmix_abort(int status)
{
    pgasi_flush_streams();
    if (is_refused)
        _exit(status);
    if (!is_connected)
        connect_launcher();
    /* To the launcher, a thread that exits before it has handled the abort is one more failure; and
     * threads of other hosts may be asking this one whether they are the first to end the job. */
    pmix_status_t said = PMIx_Abort(status, NULL, NULL, 0);
    if (said != PMIX_SUCCESS && pgasi_has_left_job) { /* another OS thread is in PMIx_Finalize */
        connect_launcher();
        said = PMIx_Abort(status, NULL, NULL, 0);
    }
    if (said == PMIX_SUCCESS)
        pgasi_pause(has_several_hosts ? 300 : 50);
    _exit(status);
}

static void pmix_finalize(void)
{
    PMIx_Finalize(NULL, 0);
    is_connected = false;
    free(host_peers);
    host_peers = NULL;
}

const pgasi_boot_t pgasi_boot_pmix = {
    .init = pmix_init,
    .publish = pmix_publish,
    .exchange = pmix_exchange,
    .lookup = pmix_lookup,
    .abort = pmix_abort,
    .finalize = pmix_finalize,
};
