/* A build without a network: pgas_init refuses jobs over several hosts, so nothing gets here. */
#include "net.h"

#include <pgas/detail.h>

void pgasi_net_get(void *dst, pgas_ptr_t src, size_t nbytes)
{
    (void)dst;
    pgasi_fatal("get", "%zu bytes of thread %u: this build has no network", nbytes, src.thread);
}

void pgasi_net_put(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    (void)src;
    pgasi_fatal("put", "%zu bytes to thread %u: this build has no network", nbytes, dst.thread);
}
