#include <pgas/detail.h>

#include "net.h"

/* The macros have counted the access already. */
void pgasi_far_get(pgas_ptr_t src, void *value, size_t nbytes)
{
    pgasi_net_get(value, src, nbytes);
}

void pgasi_far_put(pgas_ptr_t dst, const void *value, size_t nbytes)
{
    pgasi_net_put(dst, value, nbytes);
}
