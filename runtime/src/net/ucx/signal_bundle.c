#include "net/ucx/signal_bundle.h"

#include <string.h>

#include <pgas/detail.h>

#include "net/spin.h"
#include "net/ucx/bundle.h"
#include "net/ucx/initiator.h"
#include "net/ucx/progress_thread.h"

enum {
    /* Signals to one thread in a row that leave by themselves. */
    ALONE = 2,
    LARGEST = 512
};

static pgasi_ucx_bundles_t bundles = {.id = PGASI_UCX_PUT_SIGNALS};

bool pgasi_ucx_signal_bundle_init(void)
{
    return pgasi_ucx_bundles_alloc(&bundles, pgasi_job.threads);
}

void pgasi_ucx_signal_bundle_finalize(void)
{
    pgasi_ucx_bundles_free(&bundles);
}

bool pgasi_ucx_signal_bundle_wants(uint32_t thread, size_t nbytes)
{
    pgasi_ucx_initiator_t *me = pgasi_ucx_me;
    if (me->signalled != thread)
        me->signals_in_a_row = 0;
    me->signalled = thread;
    if (nbytes > LARGEST || pgasi_net_per_target() == 1 || !pgasi_net_has_progress_thread())
        return false;
    if (me->signals_in_a_row >= ALONE)
        return true;
    me->signals_in_a_row++;
    return false;
}

void pgasi_ucx_signal_bundle_add(uint32_t thread, const pgasi_ucx_put_signal_t *put,
                                 const void *src, size_t nbytes, _Atomic uint32_t *under_way)
{
    const pgasi_ucx_signal_item_t head = {*put, nbytes};
    const pgasi_ucx_item_t item = {
        .head = &head,
        .head_size = sizeof head,
        .body = src,
        .body_size = nbytes,
        .thread = thread,
        .under_way = under_way,
    };
    if (pgasi_ucx_bundle_add(&bundles, thread, &item))
        pgasi_ucx_progress_thread_alert();
}

bool pgasi_ucx_signal_bundle_next(const char **data, size_t *left, pgasi_ucx_signal_item_t *item,
                                  const char **payload)
{
    if (*left < sizeof *item)
        return false;
    memcpy(item, *data, sizeof *item);
    if (item->nbytes > LARGEST || pgasi_ucx_padded(sizeof *item + item->nbytes) > *left)
        return false;
    *payload = *data + sizeof *item;
    *data += pgasi_ucx_padded(sizeof *item + item->nbytes);
    *left -= pgasi_ucx_padded(sizeof *item + item->nbytes);
    return true;
}
