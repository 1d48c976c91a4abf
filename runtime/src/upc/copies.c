#include "upc/copies.h"

#include <pgas/job.h>

#include "copy/async.h"
#include "copy/transfer.h"

/* Of the call under way. */
static pgasi_counted_t *counted;

void pgasi_upc_copies_begin(pgasi_counted_t *counts)
{
    counted = counts;
}

void pgasi_upc_get(void *dst, pgas_ptr_t src, size_t nbytes)
{
    if (nbytes == 0)
        return;
    pgasi_count_message(counted, src.thread, nbytes);
    if (src.thread != pgasi_job.thread)
        pgasi_count_get(src.thread, nbytes);
    pgasi_start_get(pgasi_empty_group(), dst, src, nbytes);
}

void pgasi_upc_put(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    if (nbytes == 0)
        return;
    pgasi_count_message(counted, dst.thread, nbytes);
    if (dst.thread != pgasi_job.thread)
        pgasi_count_put(dst.thread, nbytes);
    pgasi_start_put(pgasi_empty_group(), dst, src, nbytes);
}

void pgasi_upc_copies_wait(void)
{
    pgasi_group_wait(pgasi_empty_group());
}

size_t pgasi_upc_neighbour(size_t distance)
{
    return ((size_t)pgas_mythread() + distance) % (size_t)pgas_threads();
}
