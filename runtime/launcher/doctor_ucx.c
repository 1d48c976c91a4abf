#include "doctor.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucp/api/ucp.h>
#include <uct/api/uct.h>

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
}
