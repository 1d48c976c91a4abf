/**
 * A program that goes on with UCX of its own after pgas_finalize gets UCX's reports as UCX makes
 * them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

#include "check.h"

static void fail_in_ucx(void)
{
    ucp_config_t *config;
    ucp_context_h context;
    ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_TAG};
    CHECK(ucp_config_read(NULL, NULL, &config) == UCS_OK);
    CHECK(ucp_config_modify(config, "TLS", "tcp") == UCS_OK);
    CHECK(ucp_config_modify(config, "NET_DEVICES", "nosuch0") == UCS_OK);
    CHECK(ucp_init(&params, config, &context) != UCS_OK);
    ucp_config_release(config);
}

int main(void)
{
    static char text[4096];
    CHECK(unsetenv("UCX_LOG_LEVEL") == 0);
    CHECK(pgas_init() == PGAS_OK);
    pgas_finalize();
    int kept = dup(STDOUT_FILENO);
    int file = memfd_create("output", MFD_CLOEXEC);
    CHECK(kept >= 0 && file >= 0 && fflush(stdout) == 0 && dup2(file, STDOUT_FILENO) >= 0);
    fail_in_ucx();
    CHECK(fflush(stdout) == 0 && dup2(kept, STDOUT_FILENO) >= 0);
    CHECK(pread(file, text, sizeof text - 1, 0) > 0);
    CHECK(strstr(text, "UCX  ERROR") != NULL);
    return 0;
}
