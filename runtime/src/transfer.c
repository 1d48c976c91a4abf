#include "transfer.h"

#include <inttypes.h>

#include "segment.h"

void pgasi_check_shared(const char *call, pgas_ptr_t ptr, size_t nbytes)
{
    if (ptr.offset == 0 || ptr.thread >= pgasi_job.threads || nbytes > pgasi_node_memory.stride ||
        ptr.offset > pgasi_node_memory.stride - nbytes)
        pgasi_fatal(call, "%zu bytes at thread %u, offset %" PRIu64 ": %s", nbytes, ptr.thread,
                    ptr.offset,
                    ptr.offset == 0                   ? "the null pointer"
                    : ptr.thread >= pgasi_job.threads ? "no such thread"
                                                      : "beyond the end of its segment");
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
