#include "net/ucx/credit.h"

#include <stdatomic.h>
#include <stdio.h>

#include "net/ucx/initiator.h"
#include "net/ucx/progress.h"

enum {
    /* Messages that are not sent, and requests for gets without a reply. Fewer were slower. */
    UNDER_WAY_MAX = 64
};

static inline bool has_credit(void)
{
    const pgasi_ucx_initiator_t *me = pgasi_ucx_me;
    return me->buffers.sending + me->requests.sending < UNDER_WAY_MAX &&
           atomic_load_explicit(&me->gets_under_way, memory_order_relaxed) < UNDER_WAY_MAX;
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

_Atomic uint32_t *pgasi_ucx_gets_under_way(void)
{
    pgasi_ucx_initiator_t *me = pgasi_ucx_me;
    return me->is_unbounded ? &me->unbounded_under_way : &me->gets_under_way;
}

void pgasi_ucx_credit_wait(void)
{
    if (!has_credit() && !pgasi_ucx_me->is_unbounded)
        pgasi_ucx_wait(has_credit_now, NULL, 0, describe);
}
