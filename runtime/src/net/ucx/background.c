#include "net/ucx/background.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/detail.h>

#include "net/ucx/worker.h"

/* The last that came first. */
typedef struct deferred {
    struct deferred *next;
    void (*post)(const void *what);
    unsigned char what[];
} deferred_t;

static deferred_t *_Atomic deferred;

void pgasi_ucx_background_defer(void (*post)(const void *what), const void *what, size_t size)
{
    deferred_t *added = malloc(sizeof *added + size);
    if (added == NULL)
        pgasi_fatal("network", "no memory for a message");
    added->post = post;
    memcpy(added->what, what, size);
    deferred_t *first = atomic_load(&deferred);
    do
        added->next = first;
    while (!atomic_compare_exchange_weak(&deferred, &first, added));
}

bool pgasi_ucx_background_has_deferred(void)
{
    return atomic_load(&deferred) != NULL;
}

unsigned pgasi_ucx_background_post_deferred(void)
{
    if (atomic_load_explicit(&deferred, memory_order_relaxed) == NULL)
        return 0;
    deferred_t *last = atomic_exchange(&deferred, NULL);
    deferred_t *first = NULL;
    unsigned count = 0;
    while (last != NULL) {
        deferred_t *before = last->next;
        last->next = first;
        first = last;
        last = before;
    }
    while (first != NULL) {
        deferred_t *one = first;
        first = one->next;
        one->post(one->what);
        free(one);
        count++;
    }
    return count;
}

static void on_flushed(void *request, ucs_status_t status, void *unused)
{
    (void)status; /* a lost connection has a callback of its own */
    (void)unused;
    pgasi_ucx_background_awaited--;
    ucp_request_free(request);
}

void pgasi_ucx_background_flush(void)
{
    if (!pgasi_ucx_background_has_sent || pgasi_ucx_background_awaited > 0)
        return;
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK,
        .cb.send = on_flushed,
    };
    pgasi_ucx_background_has_sent = false;
    ucs_status_ptr_t request = ucp_worker_flush_nbx(pgasi_ucx_background, &param);
    if (request != NULL && !UCS_PTR_IS_ERR(request))
        pgasi_ucx_background_awaited++;
}

unsigned pgasi_ucx_background_progress(void)
{
    unsigned count = pgasi_ucx_background_post_deferred();
    pgasi_ucx_background_flush();
    return pgasi_ucx_background_is_busy() ? count + pgasi_ucx_worker_progress(pgasi_ucx_background)
                                          : count;
}
