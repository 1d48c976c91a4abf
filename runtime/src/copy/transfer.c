#include "copy/transfer.h"

#include <inttypes.h>

#include "base/in_job.h"

static const char *describe_wrong(pgas_ptr_t ptr)
{
    if (ptr.offset != 0 && ptr.thread >= pgasi_job.threads)
        return "no such thread";
    if (ptr.offset < PGASI_NULL_PAGE)
        return "the null pointer";
    return ptr.offset < PGASI_HEAP_BEGIN ? "before the heap" : "beyond the end of its segment";
}

void pgasi_outside_segment(const char *call, pgas_ptr_t ptr, size_t nbytes)
{
    pgasi_require_job(call); /* outside it, nothing lies in a segment */
    pgasi_fatal(call, "%zu bytes at thread %u, offset %" PRIu64 ": %s", nbytes, ptr.thread,
                ptr.offset, describe_wrong(ptr));
}

void pgasi_check_private(const char *call, const void *ptr)
{
    if (ptr == NULL)
        pgasi_fatal(call, "the private pointer is NULL");
}
