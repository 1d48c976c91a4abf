#include "doctor.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>
#include <uct/api/uct.h>

#include "net/ucx/resource.h"
#include "net/ucx/rma_path.h"
#include "net/ucx/transport.h"

enum {
    MOST = 64 /* devices, and as many transports */
};

/* The transports of one network device. */
typedef struct device {
    char name[UCT_DEVICE_NAME_MAX];
    char transports[256];
} device_t;

typedef struct devices {
    device_t list[MOST];
    size_t count;
} devices_t;

/* What is found on the way through UCT's resources. */
typedef struct found {
    devices_t devices;
    doctor_network_t *network;
} found_t;

/* Adds a word, unless it is there already or there is no room. */
static void add_word(char *text, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += length) {
        bool starts = at == text || at[-1] == ' ';
        if (starts && (at[length] == ' ' || at[length] == '\0'))
            return;
    }
    size_t used = strlen(text);
    if (used + length + 2 <= size)
        snprintf(text + used, size - used, "%s%s", used > 0 ? " " : "", word);
}

static device_t *device_named(devices_t *devices, const char *name)
{
    for (size_t i = 0; i < devices->count; i++) {
        if (strcmp(devices->list[i].name, name) == 0)
            return &devices->list[i];
    }
    if (devices->count == MOST)
        return NULL;
    device_t *device = &devices->list[devices->count++];
    snprintf(device->name, sizeof device->name, "%s", name);
    return device;
}

static void take_resource(uct_md_h domain, const uct_tl_resource_desc_t *resource, void *user_data)
{
    found_t *found = user_data;
    doctor_network_t *network = found->network;
    (void)domain;
    if (resource->dev_type == UCT_DEVICE_TYPE_SHM) {
        add_word(network->shared_memory, sizeof network->shared_memory, resource->tl_name);
    } else if (resource->dev_type == UCT_DEVICE_TYPE_NET) {
        device_t *device = device_named(&found->devices, resource->dev_name);
        if (device != NULL)
            add_word(device->transports, sizeof device->transports, resource->tl_name);
        network->has_rdma |= strcmp(resource->tl_name, "tcp") != 0;
    }
}

/* Whether `from` reaches `to` by endpoints of this kind: as the runtime asks UCX (endpoint.c). */
static bool reaches(ucp_worker_h from, ucp_worker_h to, ucp_err_handling_mode_t mode)
{
    ucp_address_t *address;
    size_t nbytes;
    if (ucp_worker_get_address(to, &address, &nbytes) != UCS_OK)
        return false;
    const ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE,
        .address = address,
        .err_mode = mode,
    };
    ucp_ep_h ep;
    bool done = ucp_ep_create(from, &params, &ep) == UCS_OK;
    ucp_worker_release_address(to, address);
    return done;
}

static void query_endpoints(ucp_context_h context, doctor_network_t *network)
{
    const ucp_worker_params_t params = {.field_mask = 0};
    ucp_worker_h from;
    ucp_worker_h to;
    if (ucp_worker_create(context, &params, &from) != UCS_OK)
        return;
    if (ucp_worker_create(context, &params, &to) == UCS_OK) {
        network->reports_loss = reaches(from, to, UCP_ERR_HANDLING_MODE_PEER);
        network->has_transport =
            network->reports_loss || reaches(from, to, UCP_ERR_HANDLING_MODE_NONE);
        ucp_worker_destroy(to);
    }
    ucp_worker_destroy(from);
}

static void query_loss(doctor_network_t *network)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP};
    ucp_context_h context;
    pgasi_ucx_be_silent();
    if (ucp_init(&params, NULL, &context) == UCS_OK) {
        query_endpoints(context, network);
        ucp_cleanup(context);
    }
    pgasi_ucx_speak();
}

static const char *setting(const char *name, const char *initial)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0' ? value : initial;
}

/* As the runtime chooses (src/net/ucx/start.c). */
static void query_rma(bool one_host, char *text, size_t size)
{
    static pgasi_transport_t transports[PGASI_TRANSPORTS_MAX];
    const pgasi_rma_wish_t wish = {
        .setting = setting("PGAS_RMA", "auto"),
        .tls = setting("UCX_TLS", pgasi_default_transports(one_host)),
        .one_host = one_host,
        .segment_by_ucx = strcmp(setting("PGAS_SEGMENT", "auto"), "ucx") == 0,
    };
    pgasi_rma_path_t path;
    size_t count = pgasi_transports_query(wish.tls, transports);
    pgasi_rma_choose(&wish, transports, count, &path);
    if (path.kind != PGASI_RMA_NONE)
        snprintf(text, size, "by %s", path.transport.name);
    else
        snprintf(text, size, "%s: %s", path.is_refused ? "refused" : "off", path.reason);
}

void doctor_query_network(doctor_network_t *network)
{
    snprintf(network->version, sizeof network->version, "%s", ucp_get_version_string());
    static found_t found;
    found = (found_t){.network = network};
    pgasi_ucx_resources_visit(take_resource, &found);

    size_t used = 0;
    for (size_t i = 0; i < found.devices.count && used < sizeof network->devices; i++) {
        const device_t *device = &found.devices.list[i];
        network->device_count += strcmp(device->name, "lo") != 0;
        used += (size_t)snprintf(network->devices + used, sizeof network->devices - used,
                                 "%s: %s\n", device->name, device->transports);
    }
    query_loss(network);
    query_rma(true, network->rma_one_host, sizeof network->rma_one_host);
    query_rma(false, network->rma_hosts, sizeof network->rma_hosts);
}
