#include <pgas/copy.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/detail.h>
#include <pgas/ptr.h>

#include "net.h"
#include "segment.h"

static void check_range(const char *call, pgas_ptr_t ptr, size_t nbytes)
{
    if (ptr.offset == 0 || ptr.thread >= pgasi_job.threads || nbytes > pgasi_node_memory.stride ||
        ptr.offset > pgasi_node_memory.stride - nbytes)
        pgasi_fatal(call, "%zu bytes at thread %u, offset %" PRIu64 ": %s", nbytes, ptr.thread,
                    ptr.offset,
                    ptr.offset == 0                   ? "the null pointer"
                    : ptr.thread >= pgasi_job.threads ? "no such thread"
                                                      : "beyond the end of its segment");
}

static void check_private(const char *call, const void *ptr)
{
    if (ptr == NULL)
        pgasi_fatal(call, "the private pointer is NULL");
}

static void count(pgasi_count_t *counter, size_t nbytes)
{
    counter->operations++;
    counter->bytes += nbytes;
}

void pgas_memget(void *dst, pgas_ptr_t src, size_t nbytes)
{
    if (nbytes == 0)
        return;
    check_range("pgas_memget", src, nbytes);
    check_private("pgas_memget", dst);
    count(&pgasi_job.peers[src.thread].bulk_gets, nbytes);
    const void *from = pgas_local(src);
    if (from != NULL)
        memcpy(dst, from, nbytes);
    else
        pgasi_net_get(dst, src, nbytes);
}

void pgas_memput(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    if (nbytes == 0)
        return;
    check_range("pgas_memput", dst, nbytes);
    check_private("pgas_memput", src);
    count(&pgasi_job.peers[dst.thread].bulk_puts, nbytes);
    void *to = pgas_local(dst);
    if (to != NULL)
        memcpy(to, src, nbytes);
    else
        pgasi_net_put(dst, src, nbytes);
}

/* At least one side is on another node: through a private buffer, a piece at a time. */
static void copy_far(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes)
{
    char piece[16384];
    while (nbytes > 0) {
        size_t step = nbytes < sizeof piece ? nbytes : sizeof piece;
        const void *from = pgas_local(src);
        void *to = pgas_local(dst);
        if (from == NULL)
            pgasi_net_get(to != NULL ? to : piece, src, step);
        if (to == NULL)
            pgasi_net_put(dst, from != NULL ? from : piece, step);
        src.offset += step;
        dst.offset += step;
        nbytes -= step;
    }
}

void pgas_memcpy(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes)
{
    if (nbytes == 0)
        return;
    check_range("pgas_memcpy", src, nbytes);
    check_range("pgas_memcpy", dst, nbytes);
    count(&pgasi_job.peers[src.thread].bulk_gets, nbytes);
    count(&pgasi_job.peers[dst.thread].bulk_puts, nbytes);
    const void *from = pgas_local(src);
    void *to = pgas_local(dst);
    if (from != NULL && to != NULL)
        memcpy(to, from, nbytes);
    else
        copy_far(dst, src, nbytes);
}

static void set_far(pgas_ptr_t dst, int value, size_t nbytes)
{
    char piece[16384];
    memset(piece, value, nbytes < sizeof piece ? nbytes : sizeof piece);
    while (nbytes > 0) {
        size_t step = nbytes < sizeof piece ? nbytes : sizeof piece;
        pgasi_net_put(dst, piece, step);
        dst.offset += step;
        nbytes -= step;
    }
}

void pgas_memset(pgas_ptr_t dst, int value, size_t nbytes)
{
    if (nbytes == 0)
        return;
    check_range("pgas_memset", dst, nbytes);
    count(&pgasi_job.peers[dst.thread].bulk_puts, nbytes);
    void *to = pgas_local(dst);
    if (to != NULL)
        memset(to, value, nbytes);
    else
        set_far(dst, value, nbytes);
}
