#include "net/ucx/failure.h"

#include <stdatomic.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "base/clock.h"
#include "base/log.h"
#include "net/net.h"
#include "net/ucx/log.h"

/* The progress thread reads it, too. */
static atomic_bool end_is_expected;

void pgasi_net_expect_end(void)
{
    end_is_expected = true;
}

bool pgasi_ucx_end_is_expected(void)
{
    return end_is_expected;
}

bool pgasi_ucx_is_done(ucs_status_t status)
{
    return status == UCS_OK || end_is_expected;
}

void pgasi_ucx_lost(uint32_t thread, const char *call, ucs_status_t status)
{
    if (end_is_expected || status == UCS_ERR_CANCELED)
        return;
    /* Most often the other thread has died: its launcher knows why, and ends the job. */
    pgasi_pause(PGASI_UCX_GRACE_MS);
    if (!end_is_expected)
        pgasi_ucx_log_flush(0);
    if (thread == PGASI_UCX_NOBODY)
        pgasi_fatal("network", "%s: %s", call, ucs_status_string(status));
    pgasi_fatal("network", "thread %u is lost: %s: %s", thread, call, ucs_status_string(status));
}

pgas_status_t pgasi_ucx_check(const char *call, ucs_status_t status)
{
    if (status == UCS_OK)
        return PGAS_OK;
    pgasi_log("%s: %s; UCX_TLS and UCX_NET_DEVICES choose the network%s", call,
              ucs_status_string(status),
              status == UCS_ERR_NO_RESOURCE ? ", whose shared memory needs room in /dev/shm" : "");
    return status == UCS_ERR_NO_MEMORY ? PGAS_ERR_NO_MEMORY : PGAS_ERR_SYSTEM;
}
