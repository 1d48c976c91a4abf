#include "copy/in_flight.h"

#include <stddef.h>

#include "base/in_job.h"

static const char *const call = "synchronisation of what is in flight";

static const pgasi_in_flight_client_t *installed;

void pgasi_in_flight_install(const pgasi_in_flight_client_t *client)
{
    installed = client;
}

static bool is_marked(pgasi_net_handle_t handle)
{
    return handle.bits >> 61 == 1;
}

void pgasi_in_flight_flush(pgasi_net_handle_t handle)
{
    pgasi_require_no_child(call);
    if (!is_marked(handle))
        pgasi_net_flush(handle);
}

void pgasi_in_flight_wait(pgasi_net_handle_t handle)
{
    pgasi_require_no_child(call);
    if (is_marked(handle))
        installed->wait(handle.bits);
    else
        pgasi_net_wait(handle);
}

bool pgasi_in_flight_test(pgasi_net_handle_t handle)
{
    pgasi_require_no_child(call);
    return is_marked(handle) ? installed->test(handle.bits) : pgasi_net_test(handle);
}

bool pgasi_in_flight_is_done(pgasi_net_handle_t handle)
{
    return is_marked(handle) ? installed->is_done(handle.bits) : pgasi_net_is_done(handle);
}
