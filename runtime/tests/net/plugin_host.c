/**
 * A program that loads a shared object with Fathom, closes it after the job, and goes on with UCX,
 * which calls what Fathom has put into its place: it must still be there.
 *
 * Usage: plugin_host PLUGIN
 */
#include <dlfcn.h>
#include <string.h>
#include <ucp/api/ucp.h>

/* A connection to itself, by way of sockets. */
static int use_ucx(void)
{
    ucp_config_t *config;
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_address_t *address;
    ucp_ep_h endpoint;
    size_t length;
    ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_TAG};
    ucp_worker_params_t worker_params = {.field_mask = 0};
    ucp_ep_params_t endpoint_params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS};
    if (ucp_config_read(NULL, NULL, &config) != UCS_OK ||
        ucp_config_modify(config, "TLS", "tcp") != UCS_OK ||
        ucp_init(&params, config, &context) != UCS_OK ||
        ucp_worker_create(context, &worker_params, &worker) != UCS_OK ||
        ucp_worker_get_address(worker, &address, &length) != UCS_OK)
        return 2;
    endpoint_params.address = address;
    if (ucp_ep_create(worker, &endpoint_params, &endpoint) != UCS_OK)
        return 3;
    for (int i = 0; i < 1000; i++)
        ucp_worker_progress(worker);
    /* UCX warns of this one. */
    if (ucp_config_modify(config, "NET_DEVICES", "nosuch0") != UCS_OK)
        return 4;
    ucp_init(&params, config, &context);
    return 0; /* a connection to itself cannot be closed in good order */
}

int main(int argc, char **argv)
{
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = plugin != NULL ? dlsym(plugin, "use_job") : NULL;
    int (*use_job)(void);
    memcpy(&use_job, &symbol, sizeof use_job);
    if (symbol == NULL || use_job() == 0 || dlclose(plugin) != 0)
        return 1;
    return use_ucx();
}
