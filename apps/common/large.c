#include "common/large.h"

#include <pgas/pgas.h>
#include <stdlib.h>
#include <sys/mman.h>

void *common_alloc(const char *what, size_t count, size_t elem_size)
{
    const size_t huge = (size_t)2 << 20;
    size_t nbytes;
    if (__builtin_mul_overflow(count, elem_size, &nbytes) || nbytes > PTRDIFF_MAX - huge)
        pgas_fail(1, "%s: %zu elements of %zu bytes overflow", what, count, elem_size);
    size_t alignment = nbytes >= huge ? huge : 64;
    nbytes = (nbytes / alignment + 1) * alignment;
    void *memory = aligned_alloc(alignment, nbytes);
    if (memory == NULL)
        pgas_fail(1, "%s: no memory for %zu bytes", what, nbytes);
    if (alignment == huge)
        madvise(memory, nbytes, MADV_HUGEPAGE); /* advice only */
    return memory;
}
