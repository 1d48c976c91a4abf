#include "net/ucx/transport.h"

#include <stdio.h>
#include <string.h>

#include <ucs/async/async_fwd.h>
#include <uct/api/uct.h>

#include "net/ucx/resource.h"

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

static void query_resource(uct_md_h domain, const uct_tl_resource_desc_t *resource, void *user_data)
{
    query_t *query = user_data;
    uct_md_attr_t attr;
    if (query->count < PGASI_TRANSPORTS_MAX &&
        pgasi_transport_is_enabled(query->tls, resource->tl_name) &&
        !is_known(query, resource->tl_name) && uct_md_query(domain, &attr) == UCS_OK)
        query_interface(query, domain, &attr, resource);
}

size_t pgasi_transports_query(const char *tls, pgasi_transport_t *transports)
{
    query_t query = {.tls = tls, .transports = transports};
    if (ucs_async_context_create(UCS_ASYNC_MODE_THREAD_SPINLOCK, &query.async) != UCS_OK)
        return 0;
    pgasi_ucx_be_silent();
    if (uct_worker_create(query.async, UCS_THREAD_MODE_SINGLE, &query.worker) == UCS_OK) {
        pgasi_ucx_resources_visit(query_resource, &query);
        uct_worker_destroy(query.worker);
    }
    pgasi_ucx_speak();
    ucs_async_context_destroy(query.async);
    return query.count;
}
