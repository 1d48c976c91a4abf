#include "net_ucx.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucs/debug/debug.h>
#include <unistd.h>

#include "boot.h"
#include "config.h"
#include "log.h"
#include "segment.h"

static const char key[] = "fathom.net";

enum {
    ADDRESS_MAX = 4096
};

/* What the initiating worker knows of a thread. */
typedef struct target {
    ucp_ep_h ep;
    ucp_rkey_h rkey;
    uint64_t base;
} target_t;

bool pgasi_net_is_up;
ucp_context_h pgasi_ucx_context;
ucp_worker_h pgasi_ucx_initiating;
ucp_worker_h pgasi_ucx_serving;

static target_t *targets;
static ucp_ep_h *serving_endpoints;
static ucp_mem_h segment_memory;
static bool end_is_expected;

void pgasi_net_leave_crashes_alone(void)
{
    static const int signals[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE};
    if (getenv("UCX_HANDLE_ERRORS") != NULL || getenv("UCX_ERROR_SIGNALS") != NULL)
        return;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        ucs_debug_disable_signal(signals[i]);
}

static pgas_status_t check(const char *call, ucs_status_t status)
{
    if (status == UCS_OK)
        return PGAS_OK;
    pgasi_log("%s: %s; UCX_TLS and UCX_NET_DEVICES choose the network", call,
              ucs_status_string(status));
    return PGAS_ERR_SYSTEM;
}

/* UCX's own default where the user has said nothing. */
static void set_default(ucp_config_t *config, const char *name, const char *value)
{
    char variable[64] = "UCX_";
    strncat(variable, name, sizeof variable - 5);
    if (getenv(variable) == NULL && ucp_config_modify(config, name, value) != UCS_OK)
        pgasi_note("UCX does not know the setting %s=%s", variable, value);
}

static ucs_status_t make_context(bool one_host)
{
    /* The usual 8 KiB hold 1 MiB transfers over TCP at a third of the speed. A transport's own
     * setting is taken from the environment only. */
    setenv("UCX_TCP_TX_SEG_SIZE", "128k", 0);
    setenv("UCX_TCP_RX_SEG_SIZE", "128k", 0);
    ucp_config_t *config;
    ucs_status_t status = ucp_config_read(NULL, NULL, &config);
    if (status != UCS_OK)
        return status;
    /* Between nodes, emulated ones too, there is no shared memory. */
    set_default(config, "TLS", one_host ? "tcp" : "^shm");
    if (one_host)
        set_default(config, "NET_DEVICES", "lo");
    ucp_params_t params = {
        .field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED |
                      UCP_PARAM_FIELD_ESTIMATED_NUM_EPS,
        .features = UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_WAKEUP,
        .mt_workers_shared = 1,
        .estimated_num_eps = pgasi_job.threads,
    };
    status = ucp_init(&params, config, &pgasi_ucx_context);
    ucp_config_release(config);
    return status;
}

static ucs_status_t make_worker(ucs_thread_mode_t mode, ucp_worker_h *worker)
{
    ucp_worker_params_t params = {
        .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
        .thread_mode = mode,
    };
    return ucp_worker_create(pgasi_ucx_context, &params, worker);
}

static pgas_status_t publish_address(void)
{
    ucp_address_t *address;
    size_t nbytes;
    pgas_status_t status = check("ucp_worker_get_address",
                                 ucp_worker_get_address(pgasi_ucx_serving, &address, &nbytes));
    if (status != PGAS_OK)
        return status;
    if (nbytes > ADDRESS_MAX) {
        pgasi_log("a network address of %zu bytes: UCX_NET_DEVICES can choose fewer devices",
                  nbytes);
        status = PGAS_ERR_UNSUPPORTED;
    } else {
        status = pgasi_boot()->publish(key, address, nbytes);
    }
    ucp_worker_release_address(pgasi_ucx_serving, address);
    return status;
}

pgas_status_t pgasi_net_init(bool one_host)
{
    pgasi_ucx_log_start();
    targets = calloc(pgasi_job.threads, sizeof *targets);
    serving_endpoints = calloc(pgasi_job.threads, sizeof *serving_endpoints);
    if (targets == NULL || serving_endpoints == NULL || !pgasi_ucx_serve_init()) {
        pgasi_log("no memory for the connections of %u threads", pgasi_job.threads);
        return PGAS_ERR_NO_MEMORY;
    }
    pgas_status_t status = check("ucp_init", make_context(one_host));
    if (status == PGAS_OK)
        status =
            check("ucp_worker_create", make_worker(UCS_THREAD_MODE_SINGLE, &pgasi_ucx_initiating));
    if (status == PGAS_OK)
        status =
            check("ucp_worker_create", make_worker(UCS_THREAD_MODE_SERIALIZED, &pgasi_ucx_serving));
    if (status == PGAS_OK)
        status = publish_address();
    return status;
}

pgas_status_t pgasi_net_start(void)
{
    pgas_status_t status = check("ucp_worker_set_am_recv_handler", pgasi_ucx_serve_start());
    if (status == PGAS_OK)
        status = check("ucp_worker_set_am_recv_handler", pgasi_ucx_answers_start());
    if (status == PGAS_OK)
        status = pgasi_ucx_drive_start();
    pgasi_net_is_up = status == PGAS_OK;
    return status;
}

void pgasi_net_expect_end(void)
{
    end_is_expected = true;
}

bool pgasi_ucx_end_is_expected(void)
{
    return end_is_expected;
}

void pgasi_net_finalize(void)
{
    pgasi_net_is_up = false;
    pgasi_ucx_drive_stop();
    for (uint32_t i = 0; i < pgasi_job.threads; i++)
        if (targets[i].rkey != NULL)
            ucp_rkey_destroy(targets[i].rkey);
    if (segment_memory != NULL)
        ucp_mem_unmap(pgasi_ucx_context, segment_memory);
    ucp_worker_destroy(pgasi_ucx_initiating);
    ucp_worker_destroy(pgasi_ucx_serving);
    ucp_cleanup(pgasi_ucx_context);
    pgasi_ucx_serve_finalize();
    pgasi_ucx_operations_finalize();
    pgasi_ucx_answers_finalize();
    free(targets);
    free(serving_endpoints);
}

void pgasi_ucx_lost(uint32_t thread, const char *call, ucs_status_t status)
{
    if (end_is_expected || status == UCS_ERR_CANCELED)
        return;
    /* Most often the other thread has died: its launcher knows why, and ends the job. */
    sleep(1);
    if (thread == PGASI_UCX_NOBODY)
        pgasi_fatal("network", "%s: %s", call, ucs_status_string(status));
    pgasi_fatal("network", "thread %u is lost: %s: %s", thread, call, ucs_status_string(status));
}

static void on_error(void *thread, ucp_ep_h ep, ucs_status_t status)
{
    (void)ep;
    pgasi_ucx_lost((uint32_t)(uintptr_t)thread, "connection", status);
}

static ucp_ep_h connect_to(ucp_worker_h worker, uint32_t thread)
{
    unsigned char address[ADDRESS_MAX];
    size_t nbytes;
    if (pgasi_boot()->lookup(thread, key, address, sizeof address, &nbytes) != PGAS_OK)
        pgasi_fatal("network", "the address of thread %u is not known", thread);
    ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER,
        .address = (const ucp_address_t *)address,
        .err_mode = UCP_ERR_HANDLING_MODE_PEER,
        .err_handler = {.cb = on_error, .arg = (void *)(uintptr_t)thread},
    };
    ucp_ep_h ep;
    ucs_status_t status = ucp_ep_create(worker, &params, &ep);
    if (status != UCS_OK)
        pgasi_fatal("network",
                    "no way to thread %u: %s; UCX_TLS and UCX_NET_DEVICES choose the network",
                    thread, ucs_status_string(status));
    return ep;
}

ucp_ep_h pgasi_ucx_endpoint(bool serving, uint32_t thread)
{
    ucp_ep_h *ep = serving ? &serving_endpoints[thread] : &targets[thread].ep;
    if (*ep == NULL)
        *ep = connect_to(serving ? pgasi_ucx_serving : pgasi_ucx_initiating, thread);
    return *ep;
}

/* The answer to a request for the key: the segment's address, then the packed key. */
size_t pgasi_ucx_serve_key(uint32_t source, const void *request, size_t nbytes, void *reply)
{
    (void)request;
    (void)nbytes;
    char *segment = pgasi_job.peers[pgasi_job.thread].base;
    ucp_mem_map_params_t params = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                      UCP_MEM_MAP_PARAM_FIELD_FLAGS,
        .address = segment,
        .length = pgasi_node_memory.stride,
        .flags = UCP_MEM_MAP_NONBLOCK,
    };
    ucs_status_t status = UCS_OK;
    if (segment_memory == NULL)
        status = ucp_mem_map(pgasi_ucx_context, &params, &segment_memory);
    void *packed;
    size_t size;
    if (status == UCS_OK)
        status = ucp_rkey_pack(pgasi_ucx_context, segment_memory, &packed, &size);
    if (status != UCS_OK)
        pgasi_fatal("network",
                    "registering a segment of %zu bytes: %s; PGAS_HEAP_SIZE and ulimit -l matter",
                    (size_t)pgasi_node_memory.stride, ucs_status_string(status));
    uint64_t base = (uint64_t)(uintptr_t)segment;
    if (sizeof base + size > PGASI_NET_MESSAGE_MAX)
        pgasi_fatal("network",
                    "a key of %zu bytes for thread %u: UCX_NET_DEVICES can choose "
                    "fewer devices",
                    size, source);
    memcpy(reply, &base, sizeof base);
    memcpy((char *)reply + sizeof base, packed, size);
    ucp_rkey_buffer_release(packed);
    return sizeof base + size;
}

ucp_rkey_h pgasi_ucx_key(uint32_t thread, uint64_t *base)
{
    target_t *target = &targets[thread];
    if (target->rkey == NULL) {
        unsigned char answer[PGASI_NET_MESSAGE_MAX];
        pgasi_net_call(thread, (pgasi_net_service_t)PGASI_UCX_SERVICE_KEY, NULL, 0, answer,
                       sizeof answer);
        memcpy(&target->base, answer, sizeof target->base);
        ucs_status_t status =
            ucp_ep_rkey_unpack(target->ep, answer + sizeof target->base, &target->rkey);
        if (status != UCS_OK)
            pgasi_ucx_lost(thread, "key", status);
    }
    *base = target->base;
    return target->rkey;
}

pgasi_ucx_parcel_t *pgasi_ucx_parcel(pgasi_ucx_pool_t *pool, uint32_t thread)
{
    pgasi_ucx_parcel_t *parcel = pool->first;
    if (parcel != NULL) {
        pool->first = parcel->next;
    } else {
        parcel = malloc(sizeof *parcel + pool->payload_size);
        if (parcel == NULL)
            pgasi_fatal("network", "no memory for a message");
        parcel->pool = pool;
    }
    parcel->thread = thread;
    return parcel;
}

static void put_back(pgasi_ucx_parcel_t *parcel)
{
    parcel->next = parcel->pool->first;
    parcel->pool->first = parcel;
}

static void on_sent(void *request, ucs_status_t status, void *user_data)
{
    pgasi_ucx_parcel_t *parcel = user_data;
    uint32_t thread = parcel->thread;
    put_back(parcel);
    ucp_request_free(request);
    if (status != UCS_OK)
        pgasi_ucx_lost(thread, "send", status);
}

void pgasi_ucx_post(ucp_ep_h ep, unsigned id, pgasi_ucx_parcel_t *parcel, size_t header_size,
                    const void *payload, size_t nbytes, unsigned flags)
{
    ucp_request_param_t param = {
        .op_attr_mask =
            UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS,
        .flags = flags | UCP_AM_SEND_FLAG_EAGER,
        .cb.send = on_sent,
        .user_data = parcel,
    };
    ucs_status_ptr_t request =
        ucp_am_send_nbx(ep, id, &parcel->header, header_size, payload, nbytes, &param);
    if (request == NULL)
        put_back(parcel);
    else if (UCS_PTR_IS_ERR(request))
        pgasi_ucx_lost(parcel->thread, "send", UCS_PTR_STATUS(request));
}

ucs_status_t pgasi_ucx_accept(ucp_worker_h worker, unsigned id, ucp_am_recv_callback_t handler)
{
    ucp_am_handler_param_t param = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                      UCP_AM_HANDLER_PARAM_FIELD_CB,
        .id = id,
        .flags = UCP_AM_FLAG_WHOLE_MSG,
        .cb = handler,
    };
    return ucp_worker_set_am_recv_handler(worker, &param);
}

void pgasi_ucx_pool_free(pgasi_ucx_pool_t *pool)
{
    while (pool->first != NULL) {
        pgasi_ucx_parcel_t *parcel = pool->first;
        pool->first = parcel->next;
        free(parcel);
    }
}
