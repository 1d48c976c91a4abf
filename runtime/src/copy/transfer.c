#include "copy/transfer.h"

#include <inttypes.h>

#include "base/self.h"
#include "copy/access_check.h"
#include "node/segment.h"

static const char *describe_wrong(pgas_ptr_t ptr)
{
    if (ptr.offset != 0 && ptr.thread >= pgasi_job.threads)
        return "no such thread";
    return ptr.offset < PGASI_NULL_PAGE ? "the null pointer" : "beyond the end of its segment";
}

void pgasi_check_segment(const char *call, pgas_ptr_t ptr, size_t nbytes)
{
    if (ptr.offset >= PGASI_NULL_PAGE && ptr.thread < pgasi_job.threads &&
        nbytes <= pgasi_node_memory.stride && ptr.offset <= pgasi_node_memory.stride - nbytes)
        return;
    pgasi_require_job(call); /* outside it, nothing lies in a segment */
    pgasi_fatal(call, "%zu bytes at thread %u, offset %" PRIu64 ": %s", nbytes, ptr.thread,
                ptr.offset, describe_wrong(ptr));
}

void pgasi_check_shared(const char *call, pgas_ptr_t ptr, size_t nbytes)
{
    pgasi_check_segment(call, ptr, nbytes);
    pgasi_check_allocated(call, ptr, nbytes);
}

void pgasi_check_private(const char *call, const void *ptr)
{
    if (ptr == NULL)
        pgasi_fatal(call, "the private pointer is NULL");
}

/* The smallest there is: larger ones are touched more than once. */
#define PAGE ((size_t)4096)

void pgasi_touch_source(const void *src, size_t nbytes)
{
    const volatile char *bytes = src;
    for (size_t i = 0; i < nbytes; i += PAGE)
        (void)bytes[i];
    (void)bytes[nbytes - 1];
}
