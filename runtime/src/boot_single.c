#include "boot.h"

#include <stdio.h>
#include <stdlib.h>

/* A job of one thread reads back what it published itself, one key at a time. */
static char published[256];

static pgas_status_t single_init(pgasi_boot_job_t *job)
{
    *job = (pgasi_boot_job_t){.thread = 0, .threads = 1, .host_threads = 1, .host_leader = 0};
    return PGAS_OK;
}

static pgas_status_t single_publish(const char *key, const char *value)
{
    (void)key;
    snprintf(published, sizeof published, "%s", value);
    return PGAS_OK;
}

static pgas_status_t single_exchange(void)
{
    return PGAS_OK;
}

static pgas_status_t single_lookup(uint32_t thread, const char *key, char *value, size_t size)
{
    (void)thread;
    (void)key;
    snprintf(value, size, "%s", published);
    return PGAS_OK;
}

static PGAS_NORETURN void single_abort(int status)
{
    fflush(NULL);
    _Exit(status);
}

static void single_finalize(void)
{
}

const pgasi_boot_t pgasi_boot_single = {
    .init = single_init,
    .publish = single_publish,
    .exchange = single_exchange,
    .lookup = single_lookup,
    .abort = single_abort,
    .finalize = single_finalize,
};
