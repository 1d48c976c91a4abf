#include "net/ucx/resource.h"

#include <stdarg.h>

#include <ucs/debug/log_def.h>

enum {
    MOST_DOMAINS = 64 /* of one component */
};

typedef struct visitor {
    pgasi_ucx_resource_visit_t visit;
    void *user_data;
} visitor_t;

static void visit_open_domain(const visitor_t *visitor, uct_md_h domain)
{
    uct_tl_resource_desc_t *resources;
    unsigned count;
    if (uct_md_query_tl_resources(domain, &resources, &count) != UCS_OK)
        return;
    for (unsigned i = 0; i < count; i++)
        visitor->visit(domain, &resources[i], visitor->user_data);
    uct_release_tl_resource_list(resources);
}

static void visit_domain(const visitor_t *visitor, uct_component_h component, const char *name)
{
    uct_md_config_t *config;
    uct_md_h domain;
    if (uct_md_config_read(component, NULL, NULL, &config) != UCS_OK)
        return;
    ucs_status_t status = uct_md_open(component, name, config, &domain);
    uct_config_release(config);
    if (status != UCS_OK)
        return;
    visit_open_domain(visitor, domain);
    uct_md_close(domain);
}

static void visit_component(const visitor_t *visitor, uct_component_h component)
{
    uct_md_resource_desc_t domains[MOST_DOMAINS];
    uct_component_attr_t attr = {.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT};
    if (uct_component_query(component, &attr) != UCS_OK || attr.md_resource_count == 0 ||
        attr.md_resource_count > MOST_DOMAINS)
        return;
    attr.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCES;
    attr.md_resources = domains;
    unsigned count = attr.md_resource_count;
    if (uct_component_query(component, &attr) != UCS_OK)
        return;
    for (unsigned i = 0; i < count; i++)
        visit_domain(visitor, component, domains[i].md_name);
}

void pgasi_ucx_resources_visit(pgasi_ucx_resource_visit_t visit, void *user_data)
{
    const visitor_t visitor = {visit, user_data};
    uct_component_h *components;
    unsigned count;
    if (uct_query_components(&components, &count) != UCS_OK)
        return;
    pgasi_ucx_be_silent();
    for (unsigned i = 0; i < count; i++)
        visit_component(&visitor, components[i]);
    pgasi_ucx_speak();
    uct_release_component_list(components);
}

static ucs_log_func_rc_t say_nothing(const char *file, unsigned line, const char *function,
                                     ucs_log_level_t level,
                                     const ucs_log_component_config_t *component,
                                     const char *format, va_list args)
{
    (void)file, (void)line, (void)function, (void)level, (void)component, (void)format, (void)args;
    return UCS_LOG_FUNC_RC_STOP;
}

void pgasi_ucx_be_silent(void)
{
    ucs_log_push_handler(say_nothing);
}

void pgasi_ucx_speak(void)
{
    ucs_log_pop_handler();
}
