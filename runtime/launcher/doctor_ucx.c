#include "doctor.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>
#include <ucs/debug/log_def.h>
#include <uct/api/uct.h>

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

static void take_resource(const uct_tl_resource_desc_t *resource, devices_t *devices,
                          doctor_network_t *network)
{
    if (resource->dev_type == UCT_DEVICE_TYPE_SHM) {
        add_word(network->shared_memory, sizeof network->shared_memory, resource->tl_name);
    } else if (resource->dev_type == UCT_DEVICE_TYPE_NET) {
        device_t *device = device_named(devices, resource->dev_name);
        if (device != NULL)
            add_word(device->transports, sizeof device->transports, resource->tl_name);
        network->has_rdma |= strcmp(resource->tl_name, "tcp") != 0;
    }
}

/* All transports of one memory domain. What cannot be opened is not there. */
static void query_domain(uct_component_h component, const char *name, devices_t *devices,
                         doctor_network_t *network)
{
    uct_md_config_t *config;
    if (uct_md_config_read(component, NULL, NULL, &config) != UCS_OK)
        return;
    uct_md_h domain;
    ucs_status_t opened = uct_md_open(component, name, config, &domain);
    uct_config_release(config);
    if (opened != UCS_OK)
        return;
    uct_tl_resource_desc_t *resources;
    unsigned count;
    if (uct_md_query_tl_resources(domain, &resources, &count) == UCS_OK) {
        for (unsigned i = 0; i < count; i++)
            take_resource(&resources[i], devices, network);
        uct_release_tl_resource_list(resources);
    }
    uct_md_close(domain);
}

static void query_component(uct_component_h component, devices_t *devices,
                            doctor_network_t *network)
{
    uct_component_attr_t attr = {.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT};
    if (uct_component_query(component, &attr) != UCS_OK || attr.md_resource_count == 0)
        return;
    uct_md_resource_desc_t domains[MOST];
    if (attr.md_resource_count > MOST)
        return;
    attr.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCES;
    attr.md_resources = domains;
    unsigned count = attr.md_resource_count;
    if (uct_component_query(component, &attr) != UCS_OK)
        return;
    for (unsigned i = 0; i < count; i++)
        query_domain(component, domains[i].md_name, devices, network);
}

/* What UCX says of attempts that fail. */
static ucs_log_func_rc_t say_nothing(const char *file, unsigned line, const char *function,
                                     ucs_log_level_t level,
                                     const ucs_log_component_config_t *component,
                                     const char *format, va_list args)
{
    (void)file, (void)line, (void)function, (void)level, (void)component, (void)format, (void)args;
    return UCS_LOG_FUNC_RC_STOP;
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
    ucs_log_push_handler(say_nothing);
    if (ucp_init(&params, NULL, &context) == UCS_OK) {
        query_endpoints(context, network);
        ucp_cleanup(context);
    }
    ucs_log_pop_handler();
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
    uct_component_h *components;
    unsigned count;
    if (uct_query_components(&components, &count) != UCS_OK)
        return;
    static devices_t devices;
    devices.count = 0;
    for (unsigned i = 0; i < count; i++)
        query_component(components[i], &devices, network);
    uct_release_component_list(components);

    size_t used = 0;
    for (size_t i = 0; i < devices.count && used < sizeof network->devices; i++) {
        const device_t *device = &devices.list[i];
        network->device_count += strcmp(device->name, "lo") != 0;
        used += (size_t)snprintf(network->devices + used, sizeof network->devices - used,
                                 "%s: %s\n", device->name, device->transports);
    }
    query_loss(network);
    query_rma(true, network->rma_one_host, sizeof network->rma_one_host);
    query_rma(false, network->rma_hosts, sizeof network->rma_hosts);
}
