#include "net/ucx/beside.h"

#include <stdatomic.h>
#include <stddef.h>

#include <ucp/api/ucp.h>

#include <pgas/detail.h>

#include "base/agent.h"
#include "net/net.h"
#include "net/ucx/initiator.h"
#include "net/ucx/worker.h"

/* Installed by an agent, while the progress thread runs. */
static const pgasi_net_beside_t *_Atomic installed;
/* Of the one who has the turn. */
static pgasi_ucx_initiator_t *shared;
/* The progress thread's: what its next sleep hears of. */
static int sleep_fd = -1;

void pgasi_net_beside_install(const pgasi_net_beside_t *beside)
{
    pgasi_ucx_initiator_t *own = pgasi_ucx_me;
    if (pgasi_net_attach(PGAS_ATTACHED_MAX) != PGAS_OK)
        pgasi_fatal("network", "no memory for collectives in flight");
    shared = pgasi_ucx_me;
    pgasi_ucx_me = own;
    atomic_store(&installed, beside);
}

void *pgasi_net_beside_begin(void)
{
    pgasi_ucx_initiator_t *own = pgasi_ucx_me;
    pgasi_ucx_me = shared;
    return own;
}

void pgasi_net_beside_end(void *own)
{
    pgasi_ucx_me = own;
}

unsigned pgasi_net_beside_progress(void)
{
    return shared->awaited > 0 ? pgasi_ucx_worker_progress(shared->worker) : 0;
}

bool pgasi_net_beside_arm(void)
{
    sleep_fd = -1;
    if (shared->awaited == 0)
        return true;
    if (ucp_worker_arm(shared->worker) != UCS_OK)
        return false;
    sleep_fd = shared->fd;
    return true;
}

unsigned pgasi_ucx_beside_progress(unsigned *longest)
{
    const pgasi_net_beside_t *beside = atomic_load(&installed);
    *longest = 0;
    sleep_fd = -1;
    return beside != NULL ? beside->progress(longest) : 0;
}

bool pgasi_ucx_beside_is_any(void)
{
    const pgasi_net_beside_t *beside = atomic_load(&installed);
    return beside != NULL && beside->is_any();
}

int pgasi_ucx_beside_fd(void)
{
    return sleep_fd;
}

void pgasi_ucx_beside_finish(void)
{
    const pgasi_net_beside_t *beside = atomic_load(&installed);
    if (beside != NULL)
        beside->finish();
}
