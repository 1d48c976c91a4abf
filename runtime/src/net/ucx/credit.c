#include "net/ucx/credit.h"

#include <stdatomic.h>
#include <stdio.h>

#include "net/net.h"
#include "net/ucx/progress.h"
#include "net/ucx/worker.h"

enum {
    /* Messages that are not sent, and requests for gets without a reply. Fewer were slower. */
    UNDER_WAY_MAX = 64
};

pgasi_ucx_pool_t pgasi_ucx_requests = {.payload_size = PGASI_NET_MESSAGE_MAX,
                                       .pending = &pgasi_ucx_awaited};
pgasi_ucx_pool_t pgasi_ucx_buffers = {.payload_size = PGASI_UCX_EAGER_MAX,
                                      .pending = &pgasi_ucx_awaited};
_Atomic uint32_t pgasi_ucx_gets_under_way;

static inline bool has_credit(void)
{
    return pgasi_ucx_buffers.sending + pgasi_ucx_requests.sending < UNDER_WAY_MAX &&
           atomic_load_explicit(&pgasi_ucx_gets_under_way, memory_order_relaxed) < UNDER_WAY_MAX;
}

static bool has_credit_now(const void *unused)
{
    (void)unused;
    return has_credit();
}

static void describe(char *text, size_t size)
{
    snprintf(text, size, "credit for more copies under way");
}

void pgasi_ucx_credit_wait(void)
{
    if (!has_credit())
        pgasi_ucx_wait(has_credit_now, NULL, 0, describe);
}

void pgasi_ucx_credit_finalize(void)
{
    pgasi_ucx_pool_free(&pgasi_ucx_buffers);
    pgasi_ucx_pool_free(&pgasi_ucx_requests);
}
