#include "net/ucx/transport.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ucs/async/async_fwd.h>
#include <ucs/debug/log_def.h>
#include <uct/api/uct.h>

/* Where the answers go, and what is open meanwhile. */
typedef struct query {
    const char *tls;
    pgasi_transport_t *transports;
    size_t count;
    ucs_async_context_t *async;
    uct_worker_h worker;
} query_t;

static bool is_known(const query_t *query, const char *name)
{
    for (size_t i = 0; i < query->count; i++)
        if (strcmp(query->transports[i].name, name) == 0)
            return true;
    return false;
}

static void take(query_t *query, const uct_tl_resource_desc_t *resource,
                 const uct_md_attr_t *domain, const uct_iface_attr_t *attr)
{
    pgasi_transport_t *transport = &query->transports[query->count++];
    *transport = (pgasi_transport_t){
        .is_network = resource->dev_type == UCT_DEVICE_TYPE_NET,
        .domain_flags = domain->cap.flags,
        .flags = attr->cap.flags,
        .ops32 = attr->cap.atomic32.op_flags,
        .fetch32 = attr->cap.atomic32.fop_flags,
        .ops64 = attr->cap.atomic64.op_flags,
        .fetch64 = attr->cap.atomic64.fop_flags,
    };
    snprintf(transport->name, sizeof transport->name, "%s", resource->tl_name);
}

static void query_interface(query_t *query, uct_md_h domain, const uct_md_attr_t *domain_attr,
                            const uct_tl_resource_desc_t *resource)
{
    uct_iface_config_t *config;
    if (uct_md_iface_config_read(domain, resource->tl_name, NULL, NULL, &config) != UCS_OK)
        return;
    const uct_iface_params_t params = {
        .field_mask = UCT_IFACE_PARAM_FIELD_OPEN_MODE | UCT_IFACE_PARAM_FIELD_DEVICE,
        .open_mode = UCT_IFACE_OPEN_MODE_DEVICE,
        .mode.device = {.tl_name = resource->tl_name, .dev_name = resource->dev_name},
    };
    uct_iface_h iface;
    ucs_status_t status = uct_iface_open(domain, query->worker, &params, config, &iface);
    uct_config_release(config);
    if (status != UCS_OK)
        return;
    uct_iface_attr_t attr;
    if (uct_iface_query(iface, &attr) == UCS_OK)
        take(query, resource, domain_attr, &attr);
    uct_iface_close(iface);
}

static void query_open_domain(query_t *query, uct_md_h domain)
{
    uct_md_attr_t attr;
    uct_tl_resource_desc_t *resources;
    unsigned count;
    if (uct_md_query(domain, &attr) != UCS_OK ||
        uct_md_query_tl_resources(domain, &resources, &count) != UCS_OK)
        return;
    for (unsigned i = 0; i < count && query->count < PGASI_TRANSPORTS_MAX; i++)
        if (pgasi_transport_is_enabled(query->tls, resources[i].tl_name) &&
            !is_known(query, resources[i].tl_name))
            query_interface(query, domain, &attr, &resources[i]);
    uct_release_tl_resource_list(resources);
}

static void query_domain(query_t *query, uct_component_h component, const char *name)
{
    uct_md_config_t *config;
    uct_md_h domain;
    if (uct_md_config_read(component, NULL, NULL, &config) != UCS_OK)
        return;
    ucs_status_t status = uct_md_open(component, name, config, &domain);
    uct_config_release(config);
    if (status != UCS_OK)
        return;
    query_open_domain(query, domain);
    uct_md_close(domain);
}

static void query_component(query_t *query, uct_component_h component)
{
    uct_md_resource_desc_t domains[PGASI_TRANSPORTS_MAX];
    uct_component_attr_t attr = {.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT};
    if (uct_component_query(component, &attr) != UCS_OK || attr.md_resource_count == 0 ||
        attr.md_resource_count > PGASI_TRANSPORTS_MAX)
        return;
    attr.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCES;
    attr.md_resources = domains;
    unsigned count = attr.md_resource_count;
    if (uct_component_query(component, &attr) != UCS_OK)
        return;
    for (unsigned i = 0; i < count; i++)
        query_domain(query, component, domains[i].md_name);
}

static void query_components(query_t *query)
{
    uct_component_h *components;
    unsigned count;
    if (uct_query_components(&components, &count) != UCS_OK)
        return;
    for (unsigned i = 0; i < count; i++)
        query_component(query, components[i]);
    uct_release_component_list(components);
}

/* What UCX says of transports that cannot be opened. */
static ucs_log_func_rc_t say_nothing(const char *file, unsigned line, const char *function,
                                     ucs_log_level_t level,
                                     const ucs_log_component_config_t *component,
                                     const char *format, va_list args)
{
    (void)file, (void)line, (void)function, (void)level, (void)component, (void)format, (void)args;
    return UCS_LOG_FUNC_RC_STOP;
}

size_t pgasi_transports_query(const char *tls, pgasi_transport_t *transports)
{
    query_t query = {.tls = tls, .transports = transports};
    if (ucs_async_context_create(UCS_ASYNC_MODE_THREAD_SPINLOCK, &query.async) != UCS_OK)
        return 0;
    ucs_log_push_handler(say_nothing);
    if (uct_worker_create(query.async, UCS_THREAD_MODE_SINGLE, &query.worker) == UCS_OK) {
        query_components(&query);
        uct_worker_destroy(query.worker);
    }
    ucs_log_pop_handler();
    ucs_async_context_destroy(query.async);
    return query.count;
}
