#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucs/debug/debug.h>

#include <pgas/detail.h>

#include "base/config.h"
#include "base/loaded.h"
#include "base/log.h"
#include "base/signals.h"
#include "net/net.h"
#include "net/ucx/am_bundle.h"
#include "net/ucx/attach.h"
#include "net/ucx/endpoint.h"
#include "net/ucx/failure.h"
#include "net/ucx/files.h"
#include "net/ucx/gate.h"
#include "net/ucx/large.h"
#include "net/ucx/locale.h"
#include "net/ucx/log.h"
#include "net/ucx/message.h"
#include "net/ucx/outgoing.h"
#include "net/ucx/pending.h"
#include "net/ucx/progress.h"
#include "net/ucx/rma.h"
#include "net/ucx/rma_memory.h"
#include "net/ucx/signal_bundle.h"
#include "net/ucx/target.h"
#include "net/ucx/transport.h"
#include "net/ucx/wire.h"
#include "net/ucx/worker.h"

static bool has_gate;

void pgasi_net_leave_crashes_alone(void)
{
    static const int signals[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE};
    static bool is_done; /* UCX warns of a second time, in a pgas_init after one that failed */
    if (is_done || getenv("UCX_HANDLE_ERRORS") != NULL || getenv("UCX_ERROR_SIGNALS") != NULL)
        return;
    is_done = true;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        ucs_debug_disable_signal(signals[i]);
}

/* UCX's own default where the user has said nothing. */
static void set_default(ucp_config_t *config, const char *name, const char *value)
{
    char variable[64] = "UCX_";
    strncat(variable, name, sizeof variable - 5);
    if (getenv(variable) == NULL && ucp_config_modify(config, name, value) != UCS_OK)
        pgasi_note("UCX does not know the setting %s=%s", variable, value);
}

/* UCX warns of settings of transports that the user has not chosen. */
static bool may_use_tcp(void)
{
    const char *chosen = getenv("UCX_TLS");
    if (chosen == NULL)
        return true;
    bool is_named = strstr(chosen, "tcp") != NULL;
    return chosen[0] == '^' ? !is_named : is_named || strstr(chosen, "all") != NULL;
}

/* A path that is never chosen is not asked for: opening the transports takes milliseconds. */
static pgas_status_t choose_path(bool one_host)
{
    static pgasi_transport_t transports[PGASI_TRANSPORTS_MAX];
    const char *chosen = getenv("UCX_TLS");
    const pgasi_rma_wish_t wish = {
        .setting = pgasi_settings.rma,
        .tls = chosen != NULL ? chosen : pgasi_default_transports(one_host),
        .one_host = one_host,
        .segment_by_ucx = strcmp(pgasi_settings.segment, "ucx") == 0,
    };
    bool may_be_chosen = wish.segment_by_ucx || strcmp(wish.setting, "on") == 0;
    size_t count = may_be_chosen ? pgasi_transports_query(wish.tls, transports) : 0;
    pgasi_rma_choose(&wish, transports, count, &pgasi_ucx_path);
    pgasi_ucx_rma_is_on = pgasi_ucx_path.kind != PGASI_RMA_NONE;
    if (!pgasi_ucx_path.is_refused)
        return PGAS_OK;
    pgasi_log_alike("%s%s", wish.segment_by_ucx ? "" : "PGAS_RMA=on: ", pgasi_ucx_path.reason);
    return PGAS_ERR_UNSUPPORTED;
}

const char *pgasi_net_rma(void)
{
    return pgasi_ucx_rma_is_on ? pgasi_ucx_path.transport.name : NULL;
}

static ucs_status_t create_context(bool one_host)
{
    /* The usual 8 KiB hold 1 MiB transfers over TCP at a third of the speed. A transport's own
     * setting is taken from the environment only. */
    if (may_use_tcp()) {
        setenv("UCX_TCP_TX_SEG_SIZE", "128k", 0);
        setenv("UCX_TCP_RX_SEG_SIZE", "128k", 0);
    }
    ucp_config_t *config;
    ucs_status_t status = ucp_config_read(NULL, NULL, &config);
    if (status != UCS_OK)
        return status;
    set_default(config, "TLS", pgasi_default_transports(one_host));
    if (one_host)
        set_default(config, "NET_DEVICES", "lo");
    /* UCX has a thread of its own for connections. A thread that spins for its lock
     * while it waits for a core keeps it from the core: with 128 threads on two cores that took
     * minutes. */
    set_default(config, "USE_MT_MUTEX", "y");
    if (strcmp(pgasi_settings.segment, "ucx") == 0)
        set_default(config, "ALLOC_PRIO", "md:posix,mmap,heap");
    ucp_params_t params = {
        .field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED |
                      UCP_PARAM_FIELD_ESTIMATED_NUM_EPS,
        .features =
            UCP_FEATURE_AM | UCP_FEATURE_WAKEUP |
            (pgasi_ucx_rma_is_on ? UCP_FEATURE_RMA | UCP_FEATURE_AMO32 | UCP_FEATURE_AMO64 : 0),
        .mt_workers_shared = 1,
        .estimated_num_eps = pgasi_job.threads,
    };
    status = ucp_init(&params, config, &pgasi_ucx_context);
    ucp_config_release(config);
    return status;
}

/* UCX makes a thread for the first of them. */
static pgas_status_t create_workers(bool one_host)
{
    sigset_t before;
    pgasi_block_signals(&before);
    pgas_status_t status = pgasi_ucx_check("ucp_init", create_context(one_host));
    if (status == PGAS_OK)
        status = pgasi_ucx_attach_main();
    if (status == PGAS_OK)
        status =
            pgasi_ucx_check("ucp_worker_create",
                            pgasi_ucx_worker_create(UCS_THREAD_MODE_SERIALIZED, &pgasi_ucx_target));
    pgasi_restore_signals(&before);
    return status;
}

static pgas_status_t start(bool one_host)
{
    /* UCX calls functions of ours from now on, and other libraries may use it after the job. */
    pgasi_stay_loaded();
    pgasi_ucx_log_start();
    pgasi_ucx_files_raise();
    has_gate = pgasi_settings.gate != 0 && pgasi_ucx_gate_build();
    if (!has_gate && may_use_tcp())
        pgasi_note("network: strangers can connect to this UCX (docs/clusters.md, Security)");
    pgas_status_t status = choose_path(one_host);
    if (status != PGAS_OK)
        return status;
    if (!pgasi_ucx_endpoints_init(pgasi_rma_reports_loss(&pgasi_ucx_path),
                                  pgasi_ucx_operation_accept_in_background) ||
        !pgasi_ucx_target_init() || !pgasi_ucx_am_bundle_init() ||
        !pgasi_ucx_signal_bundle_init()) {
        pgasi_log("no memory for the connections of %u threads", pgasi_job.threads);
        return PGAS_ERR_NO_MEMORY;
    }
    status = create_workers(one_host);
    return status == PGAS_OK ? pgasi_ucx_address_publish() : status;
}

pgas_status_t pgasi_net_init(bool one_host)
{
    locale_t before = pgasi_ucx_locale_begin();
    pgas_status_t status = start(one_host);
    pgasi_ucx_locale_end(before);
    return status;
}

bool pgasi_net_is_cut(uint64_t milliseconds, char *address, size_t size)
{
    return has_gate && pgasi_ucx_gate_is_cut(milliseconds, address, size);
}

bool pgasi_net_has_gate(void)
{
    return has_gate;
}

pgas_status_t pgasi_net_start(const pgasi_secrets_t *secrets)
{
    pgasi_ucx_secret = secrets->message;
    pgasi_ucx_gate_open(secrets);
    pgasi_ucx_memory_serve();
    ucs_status_t accepted = pgasi_ucx_target_start();
    if (accepted == UCS_OK)
        accepted = pgasi_ucx_attach_accept();
    if (accepted == UCS_OK)
        accepted = pgasi_ucx_operation_start();
    pgas_status_t status = pgasi_ucx_check("ucp_worker_set_am_recv_handler", accepted);
    if (status == PGAS_OK)
        status = pgasi_ucx_progress_start();
    pgasi_net_is_up = status == PGAS_OK;
    return status;
}

void pgasi_net_finalize(void)
{
    pgasi_net_is_up = false;
    pgasi_ucx_progress_stop();
    pgasi_ucx_attach_stop();
    ucp_worker_destroy(pgasi_ucx_target);
    if (pgasi_ucx_background != NULL)
        ucp_worker_destroy(pgasi_ucx_background);
    pgasi_ucx_background = NULL;
    pgasi_ucx_memory_finalize();
    ucp_cleanup(pgasi_ucx_context);
    pgasi_ucx_log_stop();
    pgasi_ucx_attach_finalize();
    pgasi_ucx_operation_finalize();
    pgasi_ucx_large_finalize();
    pgasi_ucx_outgoing_finalize();
    pgasi_ucx_target_finalize();
    pgasi_ucx_signal_bundle_finalize();
    pgasi_ucx_am_bundle_finalize();
    pgasi_ucx_endpoints_finalize();
}
