#include "net/ucx/endpoint.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <pgas/detail.h>

#include "base/log.h"
#include "boot/boot.h"
#include "net/ucx/failure.h"
#include "net/ucx/initiator.h"
#include "net/ucx/log.h"
#include "net/ucx/worker.h"

static const char key[] = "fathom.net";

enum {
    ADDRESS_MAX = 4096
};

/* The background worker's, by thread; NULL until used. */
static ucp_ep_h *background_endpoints;
/* The target worker's, by thread; NULL until used. */
static ucp_ep_h *target_endpoints;
/* By thread: its target worker has connected to this one's, or knows that this one's has. */
static bool *has_connected;
static ucs_status_t (*prepare_background)(ucp_worker_h background);

/* Whether UCX tells of lost connections: not every transport can, those over shared memory cannot.
 * UCX chooses among the transports, so UCX is asked, by a connection that is to be told of. */
static _Atomic ucp_err_handling_mode_t error_mode = UCP_ERR_HANDLING_MODE_PEER;
/* UCX has answered. */
static atomic_bool knows_error_mode;

bool pgasi_ucx_endpoints_init(bool reports_loss, ucs_status_t (*prepare)(ucp_worker_h background))
{
    if (!reports_loss)
        error_mode = UCP_ERR_HANDLING_MODE_NONE;
    prepare_background = prepare;
    background_endpoints = calloc(pgasi_job.threads, sizeof(ucp_ep_h));
    target_endpoints = calloc(pgasi_job.threads, sizeof(ucp_ep_h));
    has_connected = calloc(pgasi_job.threads, sizeof *has_connected);
    return background_endpoints != NULL && target_endpoints != NULL && has_connected != NULL;
}

void pgasi_ucx_endpoints_finalize(void)
{
    free((void *)background_endpoints);
    free((void *)target_endpoints);
    free(has_connected);
    background_endpoints = NULL;
    target_endpoints = NULL;
    has_connected = NULL;
}

pgas_status_t pgasi_ucx_address_publish(void)
{
    ucp_address_t *address;
    size_t nbytes;
    pgas_status_t status = pgasi_ucx_check(
        "ucp_worker_get_address", ucp_worker_get_address(pgasi_ucx_target, &address, &nbytes));
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

static void on_error(void *peer, ucp_ep_h ep, ucs_status_t status)
{
    (void)ep;
    pgasi_ucx_lost((uint32_t)((pgasi_peer_t *)peer - pgasi_job.peers), "connection", status);
}

static ucs_status_t create(ucp_worker_h worker, uint32_t thread, const void *address,
                           ucp_err_handling_mode_t mode, ucp_ep_h *ep)
{
    ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER,
        .address = address,
        .err_mode = mode,
        .err_handler = {.cb = on_error, .arg = &pgasi_job.peers[thread]},
    };
    return ucp_ep_create(worker, &params, ep);
}

static ucp_ep_h connect_to(ucp_worker_h worker, uint32_t thread)
{
    unsigned char address[ADDRESS_MAX];
    size_t nbytes;
    if (pgasi_boot()->lookup(thread, key, address, sizeof address, &nbytes) != PGAS_OK)
        pgasi_fatal("network", "the address of thread %u is not known", thread);
    ucp_ep_h ep;
    ucp_err_handling_mode_t mode = error_mode; /* which another thread may change meanwhile */
    pgasi_ucx_log_mute(mode == UCP_ERR_HANDLING_MODE_PEER);
    ucs_status_t status = create(worker, thread, address, mode, &ep);
    pgasi_ucx_log_mute(false);
    if (status == UCS_ERR_UNREACHABLE && mode == UCP_ERR_HANDLING_MODE_PEER) {
        error_mode = UCP_ERR_HANDLING_MODE_NONE;
        status = create(worker, thread, address, UCP_ERR_HANDLING_MODE_NONE, &ep);
    }
    if (status != UCS_OK) {
        pgasi_ucx_lost(thread,
                       status == UCS_ERR_NO_MEMORY
                           ? "no memory for a connection (ulimit -v, -d)"
                           : "no way there; UCX_TLS and UCX_NET_DEVICES choose the network",
                       status);
        pgasi_fatal("network", "thread %u has left the job already", thread);
    }
    atomic_store(&knows_error_mode, true);
    return ep;
}

ucp_ep_h pgasi_ucx_endpoint(uint32_t thread)
{
    ucp_ep_h *ep = &pgasi_ucx_me->endpoints[thread];
    if (*ep == NULL)
        *ep = connect_to(pgasi_ucx_me->worker, thread);
    return *ep;
}

static void create_background_worker(void)
{
    ucs_status_t status =
        pgasi_ucx_worker_create(UCS_THREAD_MODE_SERIALIZED, &pgasi_ucx_background);
    if (status == UCS_OK)
        status = prepare_background(pgasi_ucx_background);
    if (status != UCS_OK)
        pgasi_fatal("network", "ucp_worker_create: %s", ucs_status_string(status));
}

ucp_ep_h pgasi_ucx_background_endpoint(uint32_t thread)
{
    ucp_ep_h *ep = &background_endpoints[thread];
    if (pgasi_ucx_background == NULL)
        create_background_worker();
    if (*ep == NULL)
        *ep = connect_to(pgasi_ucx_background, thread);
    pgasi_ucx_background_has_sent =
        true; /* there is a worker to flush, also for who ends the job */
    return *ep;
}

static bool connects_to(uint32_t thread)
{
    return pgasi_job.thread < thread;
}

bool pgasi_ucx_target_tells_way(uint32_t thread)
{
    return connects_to(thread) && !has_connected[thread];
}

/* Where the other one has connected, UCX takes that connection; but not with another mode than the
 * other one's, so UCX is not asked for it by this. The endpoint that its messages come with would
 * do, too, but UCX frees that one when the connection is lost, and tells nobody. */
ucp_ep_h pgasi_ucx_target_endpoint(uint32_t thread)
{
    ucp_ep_h *ep = &target_endpoints[thread];
    if (*ep == NULL &&
        (connects_to(thread) || (has_connected[thread] && atomic_load(&knows_error_mode))))
        *ep = connect_to(pgasi_ucx_target, thread);
    return *ep;
}

void pgasi_ucx_target_has_connected(uint32_t thread)
{
    has_connected[thread] = true;
}
