#include "ucx_pair.h"

#include <pgas/pgas.h>

enum {
    ADDRESS_BYTES = 4096
};

ucp_worker_h ucx_pair_worker;
static ucp_context_h context;
static ucp_ep_h endpoint;

_Noreturn void ucx_pair_fail(const char *call, ucs_status_t status)
{
    pgas_fail(1, "%s: %s", call, ucs_status_string(status));
}

void ucx_pair_check(const char *call, ucs_status_t status)
{
    if (status != UCS_OK)
        ucx_pair_fail(call, status);
}

void ucx_pair_start(void)
{
    ucp_config_t *config;
    ucx_pair_check("ucp_config_read", ucp_config_read(NULL, NULL, &config));
    const ucp_params_t parameters = {
        .field_mask = UCP_PARAM_FIELD_FEATURES,
        .features = UCP_FEATURE_AM,
    };
    ucx_pair_check("ucp_init", ucp_init(&parameters, config, &context));
    ucp_config_release(config);
    const ucp_worker_params_t how = {
        .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
        .thread_mode = UCS_THREAD_MODE_SINGLE,
    };
    ucx_pair_check("ucp_worker_create", ucp_worker_create(context, &how, &ucx_pair_worker));
}

void ucx_pair_serve(unsigned id, ucp_am_recv_callback_t handler, void *argument)
{
    const ucp_am_handler_param_t parameters = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                      UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG,
        .id = id,
        .flags = UCP_AM_FLAG_WHOLE_MSG,
        .cb = handler,
        .arg = argument,
    };
    ucx_pair_check("ucp_worker_set_am_recv_handler",
                   ucp_worker_set_am_recv_handler(ucx_pair_worker, &parameters));
}

void ucx_pair_connect(void)
{
    pgas_ptr_t addresses;
    ucp_address_t *address;
    size_t length;
    ucx_pair_check("ucp_worker_get_address",
                   ucp_worker_get_address(ucx_pair_worker, &address, &length));
    if (length > ADDRESS_BYTES)
        pgas_fail(1, "an address of %zu bytes", length);
    if (pgas_all_alloc(2, ADDRESS_BYTES, &addresses) != PGAS_OK)
        pgas_exit(1);
    pgas_memput(pgas_ptr_on(addresses, pgas_mythread()), address, length);
    ucp_worker_release_address(ucx_pair_worker, address);
    pgas_barrier();
    char other[ADDRESS_BYTES];
    pgas_memget(other, pgas_ptr_on(addresses, 1 - pgas_mythread()), sizeof other);
    const ucp_ep_params_t parameters = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
        .address = (const ucp_address_t *)(const void *)other,
    };
    ucx_pair_check("ucp_ep_create", ucp_ep_create(ucx_pair_worker, &parameters, &endpoint));
    pgas_all_free(addresses);
}

void ucx_pair_post(unsigned id, const void *header, size_t header_size, const void *bytes,
                   size_t nbytes, unsigned flags)
{
    const ucp_request_param_t parameters = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                            .flags = flags};
    ucs_status_ptr_t request =
        ucp_am_send_nbx(endpoint, id, header, header_size, bytes, nbytes, &parameters);
    if (UCS_PTR_IS_ERR(request))
        ucx_pair_fail("ucp_am_send_nbx", UCS_PTR_STATUS(request));
    if (request != NULL)
        ucp_request_free(request);
}

void ucx_pair_flush(void)
{
    const ucp_request_param_t parameters = {.op_attr_mask = 0};
    ucs_status_ptr_t request = ucp_worker_flush_nbx(ucx_pair_worker, &parameters);
    if (UCS_PTR_IS_ERR(request))
        ucx_pair_fail("ucp_worker_flush_nbx", UCS_PTR_STATUS(request));
    if (request == NULL)
        return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS)
        ucp_worker_progress(ucx_pair_worker);
    ucp_request_free(request);
}

void ucx_pair_end(void)
{
    ucp_worker_destroy(ucx_pair_worker);
    ucp_cleanup(context);
}
