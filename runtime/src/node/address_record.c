#include "node/address_record.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "base/clock.h"
#include "base/log.h"

static const char key[] = "fathom.record";

enum {
    /* How long a thread that could not start, and has said why, may take to end the job. */
    ENDING_MS = 10000
};

static pgas_status_t no_memory(void)
{
    pgasi_log("no memory for a list of %u threads", pgasi_job.threads);
    return PGAS_ERR_NO_MEMORY;
}

pgas_status_t pgasi_address_record_publish(const pgasi_boot_t *boot, const pgasi_boot_job_t *job,
                                           const pgasi_address_record_t *record)
{
    bool lowest = job->host_peers[0] == job->thread;
    size_t list = lowest ? job->host_count * sizeof *job->host_peers : 0;
    char *bytes = malloc(sizeof *record + list);
    if (bytes == NULL)
        return no_memory();
    memcpy(bytes, record, sizeof *record);
    memcpy(bytes + sizeof *record, job->host_peers, list);
    pgas_status_t status = boot->publish(key, bytes, sizeof *record + list);
    free(bytes);
    return status;
}

bool pgasi_address_record_has_failed(const pgasi_boot_t *boot, uint32_t thread)
{
    pgasi_address_record_t record = {.failed = 0};
    size_t size = sizeof record + pgasi_job.threads * sizeof(uint32_t);
    size_t nbytes = 0;
    char *bytes = malloc(size);
    if (bytes != NULL && boot->lookup(thread, key, bytes, size, &nbytes) == PGAS_OK &&
        nbytes >= sizeof record)
        memcpy(&record, bytes, sizeof record);
    free(bytes);
    return record.failed != 0;
}

static int64_t failed_thread = -1;

void pgasi_address_record_await_end(void)
{
    if (failed_thread < 0)
        return;
    pgasi_pause(ENDING_MS);
    pgasi_log("thread %d could not start", (int)failed_thread);
}

static pgas_status_t read_card(uint32_t thread, const char *bytes, size_t nbytes,
                               pgasi_address_record_t *record, uint32_t *peers)
{
    if (nbytes >= sizeof *record)
        memcpy(record, bytes, sizeof *record);
    size_t list = nbytes - sizeof *record;
    if (nbytes < sizeof *record || record->host_count > pgasi_job.threads ||
        (peers != NULL && list != record->host_count * sizeof *peers)) {
        pgasi_log("thread %u has published %zu bytes that are no record of this version", thread,
                  nbytes);
        return PGAS_ERR_SYSTEM;
    }
    if (record->failed != 0) {
        failed_thread = thread;
        return PGAS_ERR_SYSTEM;
    }
    if (peers != NULL)
        memcpy(peers, bytes + sizeof *record, list);
    return PGAS_OK;
}

pgas_status_t pgasi_address_record_lookup(const pgasi_boot_t *boot, uint32_t thread,
                                          pgasi_address_record_t *record, uint32_t *peers)
{
    size_t size = sizeof *record + pgasi_job.threads * sizeof *peers;
    size_t nbytes = 0;
    char *bytes = malloc(size);
    if (bytes == NULL)
        return no_memory();
    pgas_status_t status = boot->lookup(thread, key, bytes, size, &nbytes);
    if (status == PGAS_OK)
        status = read_card(thread, bytes, nbytes, record, peers);
    free(bytes);
    return status;
}
