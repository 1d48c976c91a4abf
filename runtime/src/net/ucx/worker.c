#include "net/ucx/worker.h"

#include "net/ucx/locale.h"
#include "net/ucx/wire.h"

ucp_context_h pgasi_ucx_context;
ucp_worker_h pgasi_ucx_target;
ucp_worker_h pgasi_ucx_background;
uint32_t pgasi_ucx_background_awaited;
uint32_t pgasi_ucx_target_sending;
bool pgasi_ucx_background_has_sent;

static _Thread_local bool is_in_progress;

ucs_status_t pgasi_ucx_accept(ucp_worker_h worker, unsigned id, ucp_am_recv_callback_t handler,
                              void *arg)
{
    ucp_am_handler_param_t param = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                      UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG,
        .id = id,
        .flags = UCP_AM_FLAG_WHOLE_MSG,
        .cb = handler,
        .arg = arg,
    };
    return ucp_worker_set_am_recv_handler(worker, &param);
}

static ucs_status_t refuse(void *arg, const void *header, size_t header_size, void *data,
                           size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)header;
    (void)header_size;
    (void)data;
    (void)nbytes;
    (void)param;
    pgasi_ucx_dropped("nobody here takes messages of its kind");
    return UCS_OK;
}

/* Anybody may connect to any worker, and UCX 1.13 takes what it finds beside the handlers that are
 * set for handlers too. From the last one down: the table then has the size that it needs, and
 * nothing beyond. UCX gives it an even number of entries. */
static ucs_status_t refuse_all(ucp_worker_h worker)
{
    ucs_status_t status = UCS_OK;
    unsigned count = (PGASI_UCX_MESSAGES + 1) / 2 * 2;
    for (unsigned id = count; id > 0 && status == UCS_OK; id--)
        status = pgasi_ucx_accept(worker, id - 1, refuse, NULL);
    return status;
}

ucs_status_t pgasi_ucx_worker_create(ucs_thread_mode_t mode, ucp_worker_h *worker)
{
    ucp_worker_params_t params = {
        .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
        .thread_mode = mode,
    };
    locale_t before = pgasi_ucx_locale_begin();
    ucs_status_t status = ucp_worker_create(pgasi_ucx_context, &params, worker);
    pgasi_ucx_locale_end(before);
    return status == UCS_OK ? refuse_all(*worker) : status;
}

unsigned pgasi_ucx_worker_progress(ucp_worker_h worker)
{
    is_in_progress = true;
    unsigned count = ucp_worker_progress(worker);
    is_in_progress = false;
    return count;
}

bool pgasi_ucx_is_in_progress(void)
{
    return is_in_progress;
}

void pgasi_ucx_stay_out(void)
{
    is_in_progress = true;
}
