#include "net/ucx/am_client.h"

const pgasi_net_am_client_t *pgasi_ucx_am_client;
bool pgasi_ucx_am_polls_next;

void pgasi_net_am_install(const pgasi_net_am_client_t *client)
{
    pgasi_ucx_am_client = client;
}
