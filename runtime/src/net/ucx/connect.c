#include "net/ucx/aggregate.h"
#include "net/ucx/large.h"
#include "net/ucx/message.h"
#include "net/ucx/numbered.h"
#include "net/ucx/pending.h"
#include "net/ucx/post.h"
#include "net/ucx/target.h"
#include "net/ucx/ucx.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucs/debug/debug.h>
#include <unistd.h>

#include "base/config.h"
#include "base/log.h"
#include "boot/boot.h"

static const char key[] = "fathom.net";

enum {
    ADDRESS_MAX = 4096
};

bool pgasi_net_is_up;
ucp_context_h pgasi_ucx_context;
ucp_worker_h pgasi_ucx_initiator;
ucp_worker_h pgasi_ucx_target;
ucp_worker_h pgasi_ucx_background;

/* The endpoints to one thread; NULL until used. */
typedef struct connection {
    ucp_ep_h initiating;
    ucp_ep_h background;
} connection_t;

static connection_t *connections;
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
    /* UCX has a thread of its own for connections. Who spins for what it holds, while it waits for
     * a core, keeps it from the core: with 128 threads on two cores that took minutes. */
    set_default(config, "USE_MT_MUTEX", "y");
    ucp_params_t params = {
        .field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED |
                      UCP_PARAM_FIELD_ESTIMATED_NUM_EPS,
        .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP,
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
    ucs_status_t status = ucp_worker_create(pgasi_ucx_context, &params, worker);
    return status == UCS_OK ? pgasi_ucx_refuse_all(*worker) : status;
}

static pgas_status_t publish_address(void)
{
    ucp_address_t *address;
    size_t nbytes;
    pgas_status_t status = check("ucp_worker_get_address",
                                 ucp_worker_get_address(pgasi_ucx_target, &address, &nbytes));
    if (status != PGAS_OK)
        return status;
    if (nbytes > ADDRESS_MAX) {
        pgasi_log("a network address of %zu bytes: UCX_NET_DEVICES can choose fewer devices",
                  nbytes);
        status = PGAS_ERR_UNSUPPORTED;
    } else {
        status = pgasi_boot()->publish(key, address, nbytes);
    }
    ucp_worker_release_address(pgasi_ucx_target, address);
    return status;
}

pgas_status_t pgasi_net_init(bool one_host)
{
    pgasi_ucx_log_start();
    pgasi_ucx_files_raise();
    connections = calloc(pgasi_job.threads, sizeof *connections);
    if (connections == NULL || !pgasi_ucx_target_init()) {
        pgasi_log("no memory for the connections of %u threads", pgasi_job.threads);
        return PGAS_ERR_NO_MEMORY;
    }
    pgas_status_t status = check("ucp_init", make_context(one_host));
    if (status == PGAS_OK)
        status =
            check("ucp_worker_create", make_worker(UCS_THREAD_MODE_SINGLE, &pgasi_ucx_initiator));
    if (status == PGAS_OK)
        status =
            check("ucp_worker_create", make_worker(UCS_THREAD_MODE_SERIALIZED, &pgasi_ucx_target));
    if (status == PGAS_OK)
        status = publish_address();
    return status;
}

pgas_status_t pgasi_net_start(uint64_t secret)
{
    pgasi_ucx_secret = secret;
    ucs_status_t accepted = pgasi_ucx_target_start();
    if (accepted == UCS_OK)
        accepted = pgasi_ucx_aggregate_start();
    if (accepted == UCS_OK)
        accepted = pgasi_ucx_numbered_start(pgasi_ucx_puts_acked);
    if (accepted == UCS_OK)
        accepted = pgasi_ucx_operation_accept(pgasi_ucx_initiator, false);
    pgas_status_t status = check("ucp_worker_set_am_recv_handler", accepted);
    if (status == PGAS_OK)
        status = pgasi_ucx_progress_start();
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
    pgasi_ucx_progress_stop();
    ucp_worker_destroy(pgasi_ucx_initiator);
    ucp_worker_destroy(pgasi_ucx_target);
    if (pgasi_ucx_background != NULL)
        ucp_worker_destroy(pgasi_ucx_background);
    pgasi_ucx_background = NULL;
    ucp_cleanup(pgasi_ucx_context);
    pgasi_ucx_aggregate_finalize();
    pgasi_ucx_numbered_finalize();
    pgasi_ucx_operation_finalize();
    pgasi_ucx_large_finalize();
    pgasi_ucx_message_finalize();
    pgasi_ucx_target_finalize();
    free(connections);
}

void pgasi_ucx_lost(uint32_t thread, const char *call, ucs_status_t status)
{
    if (end_is_expected || status == UCS_ERR_CANCELED)
        return;
    /* Most often the other thread has died: its launcher knows why, and ends the job. */
    usleep(PGASI_UCX_GRACE_MS * 1000);
    pgasi_ucx_log_held(0);
    if (thread == PGASI_UCX_NOBODY)
        pgasi_fatal("network", "%s: %s", call, ucs_status_string(status));
    pgasi_fatal("network", "thread %u is lost: %s: %s", thread, call, ucs_status_string(status));
}

static void on_error(void *connection, ucp_ep_h ep, ucs_status_t status)
{
    (void)ep;
    pgasi_ucx_lost((uint32_t)((connection_t *)connection - connections), "connection", status);
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
        .err_handler = {.cb = on_error, .arg = &connections[thread]},
    };
    ucp_ep_h ep;
    ucs_status_t status = ucp_ep_create(worker, &params, &ep);
    if (status != UCS_OK) {
        pgasi_ucx_lost(thread, "no way there; UCX_TLS and UCX_NET_DEVICES choose the network",
                       status);
        pgasi_fatal("network", "thread %u has left the job already", thread);
    }
    return ep;
}

ucp_ep_h pgasi_ucx_endpoint(uint32_t thread)
{
    ucp_ep_h *ep = &connections[thread].initiating;
    if (*ep == NULL)
        *ep = connect_to(pgasi_ucx_initiator, thread);
    return *ep;
}

/* Made where the first message leaves, which may be in the progress thread. */
static void make_background_worker(void)
{
    ucs_status_t status = make_worker(UCS_THREAD_MODE_SERIALIZED, &pgasi_ucx_background);
    if (status == UCS_OK)
        status = pgasi_ucx_operation_accept(pgasi_ucx_background, true);
    if (status != UCS_OK)
        pgasi_fatal("network", "ucp_worker_create: %s", ucs_status_string(status));
}

ucp_ep_h pgasi_ucx_background_endpoint(uint32_t thread)
{
    ucp_ep_h *ep = &connections[thread].background;
    if (pgasi_ucx_background == NULL)
        make_background_worker();
    if (*ep == NULL)
        *ep = connect_to(pgasi_ucx_background, thread);
    return *ep;
}
