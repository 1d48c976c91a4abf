#include <pgas/copy.h>

#include <string.h>

#include <pgas/detail.h>
#include <pgas/ptr.h>

#include "base/touch.h"
#include "copy/transfer.h"
#include "net/net.h"

void pgas_memget(void *dst, pgas_ptr_t src, size_t nbytes)
{
    if (nbytes == 0)
        return;
    pgasi_check_shared("pgas_memget", src, nbytes);
    pgasi_check_private("pgas_memget", dst);
    pgasi_check_private_overlap("pgas_memget", src, dst, nbytes);
    pgasi_count_get(src.thread, nbytes);
    const void *from = pgas_local(src);
    if (from != NULL)
        pgasi_copy(dst, from, nbytes);
    else
        pgasi_net_get(dst, src, nbytes);
}

void pgas_memput(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    if (nbytes == 0)
        return;
    pgasi_check_shared("pgas_memput", dst, nbytes);
    pgasi_check_private("pgas_memput", src);
    pgasi_check_private_overlap("pgas_memput", dst, src, nbytes);
    pgasi_count_put(dst.thread, nbytes);
    void *to = pgas_local(dst);
    if (to != NULL) {
        pgasi_copy(to, src, nbytes);
    } else {
        pgasi_touch_source(src, nbytes);
        pgasi_net_put(dst, src, nbytes);
    }
}

/* At least one side is on another node. */
static void copy_remote(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes)
{
    const void *from = pgas_local(src);
    void *to = pgas_local(dst);
    if (to != NULL)
        pgasi_net_get(to, src, nbytes);
    else if (from != NULL)
        pgasi_net_put(dst, from, nbytes);
    else
        pgasi_net_wait(pgasi_net_copy_nb(dst, src, nbytes));
}

void pgas_memcpy(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes)
{
    if (nbytes == 0)
        return;
    pgasi_check_shared("pgas_memcpy", src, nbytes);
    pgasi_check_shared("pgas_memcpy", dst, nbytes);
    pgasi_check_overlap("pgas_memcpy", dst, src, nbytes);
    pgasi_count_get(src.thread, nbytes);
    pgasi_count_put(dst.thread, nbytes);
    const void *from = pgas_local(src);
    void *to = pgas_local(dst);
    if (from != NULL && to != NULL)
        pgasi_copy(to, from, nbytes);
    else
        copy_remote(dst, src, nbytes);
}

void pgas_memset(pgas_ptr_t dst, int value, size_t nbytes)
{
    if (nbytes == 0)
        return;
    pgasi_check_shared("pgas_memset", dst, nbytes);
    pgasi_count_put(dst.thread, nbytes);
    void *to = pgas_local(dst);
    if (to != NULL)
        memset(to, value, nbytes);
    else
        pgasi_net_wait(pgasi_net_set_nb(dst, value, nbytes));
}
