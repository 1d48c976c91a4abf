#include "boot.h"

#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

static pmix_proc_t self;

static pgas_status_t check(pmix_status_t status, const char *call)
{
    if (status == PMIX_SUCCESS)
        return PGAS_OK;
    pgasi_log("%s: %s", call, PMIx_Error_string(status));
    return PGAS_ERR_SYSTEM;
}

/* Reads a number that the launcher keeps of the whole job. */
static pgas_status_t get_number(const char *key, uint32_t *number)
{
    pmix_proc_t job = self;
    job.rank = PMIX_RANK_WILDCARD;
    pmix_value_t *value;
    pgas_status_t status = check(PMIx_Get(&job, key, NULL, 0, &value), key);
    if (status != PGAS_OK)
        return status;
    *number = value->data.uint32;
    PMIX_VALUE_RELEASE(value);
    return PGAS_OK;
}

/* The ranks on this host come as a text, "0,1,2". */
static pgas_status_t get_host_peers(pgasi_boot_job_t *job)
{
    pmix_proc_t wildcard = self;
    wildcard.rank = PMIX_RANK_WILDCARD;
    pmix_value_t *value;
    pgas_status_t status =
        check(PMIx_Get(&wildcard, PMIX_LOCAL_PEERS, NULL, 0, &value), PMIX_LOCAL_PEERS);
    if (status != PGAS_OK)
        return status;
    job->host_threads = 0;
    job->host_leader = UINT32_MAX;
    for (const char *text = value->data.string; text != NULL && *text != '\0';) {
        char *end;
        uint32_t rank = (uint32_t)strtoul(text, &end, 10);
        job->host_threads++;
        if (rank < job->host_leader)
            job->host_leader = rank;
        text = *end == ',' ? end + 1 : NULL;
    }
    PMIX_VALUE_RELEASE(value);
    return PGAS_OK;
}

static pgas_status_t pmix_init(pgasi_boot_job_t *job)
{
    pgas_status_t status = check(PMIx_Init(&self, NULL, 0), "PMIx_Init");
    if (status == PGAS_OK) {
        job->thread = self.rank;
        status = get_number(PMIX_JOB_SIZE, &job->threads);
    }
    if (status == PGAS_OK)
        status = get_host_peers(job);
    return status;
}

static pgas_status_t pmix_publish(const char *key, const char *text)
{
    pmix_value_t value;
    PMIX_VALUE_LOAD(&value, text, PMIX_STRING);
    pgas_status_t status = check(PMIx_Put(PMIX_GLOBAL, key, &value), "PMIx_Put");
    PMIX_VALUE_DESTRUCT(&value);
    return status == PGAS_OK ? check(PMIx_Commit(), "PMIx_Commit") : status;
}

static pgas_status_t pmix_exchange(void)
{
    pmix_info_t info;
    bool collect = true;
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    pmix_status_t status = PMIx_Fence(NULL, 0, &info, 1);
    PMIX_INFO_DESTRUCT(&info);
    /* It fails if a thread has died: let the launcher say so and end the job. */
    if (status != PMIX_SUCCESS)
        sleep(1);
    return check(status, "PMIx_Fence");
}

static pgas_status_t pmix_lookup(uint32_t thread, const char *key, char *text, size_t size)
{
    pmix_proc_t peer = self;
    peer.rank = thread;
    pmix_value_t *value;
    pgas_status_t status = check(PMIx_Get(&peer, key, NULL, 0, &value), "PMIx_Get");
    if (status != PGAS_OK)
        return status;
    snprintf(text, size, "%s", value->data.string);
    PMIX_VALUE_RELEASE(value);
    return PGAS_OK;
}

static PGAS_NORETURN void pmix_abort(int status)
{
    fflush(NULL);
    /* Who exits before the launcher has looked at the abort looks like one more failure. */
    if (PMIx_Abort(status, NULL, NULL, 0) == PMIX_SUCCESS)
        usleep(50000);
    _exit(status);
}

static void pmix_finalize(void)
{
    PMIx_Finalize(NULL, 0);
}

const pgasi_boot_t pgasi_boot_pmix = {
    .init = pmix_init,
    .publish = pmix_publish,
    .exchange = pmix_exchange,
    .lookup = pmix_lookup,
    .abort = pmix_abort,
    .finalize = pmix_finalize,
};
