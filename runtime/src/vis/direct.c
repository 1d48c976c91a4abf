#include "vis/direct.h"

#include <stdbool.h>
#include <string.h>

#include <pgas/detail.h>

#include "node/segment.h"

/* For functions that are compiled once per constant size. */
#define INLINE static inline __attribute__((always_inline))

enum {
    /* Distance, in entries, of the one whose memory is prefetched. Measured: nothing lost where all
     * is in the caches, up to twice as fast where it is not. */
    AHEAD = 64
};

typedef struct memory {
    uint32_t thread;
    char *base;
    /* The last valid offset, from the end of the null page. */
    uint64_t last;
} memory_t;

INLINE size_t copy_some(const memory_t *memory, const pgas_ptr_t *list, size_t begin, size_t end,
                        char *packed, size_t nbytes, bool is_gather, bool fetch)
{
    char *base = memory->base;
    for (size_t i = begin; i < end; i++) {
        uint64_t offset = list[i].offset;
        if (fetch) {
            /* not an address where the offset is wrong */
            uintptr_t ahead = (uintptr_t)base + list[i + AHEAD].offset;
            __builtin_prefetch((void *)ahead); /* NOLINT(performance-no-int-to-ptr) */
        }
        if (list[i].thread != memory->thread || offset - PGASI_HEAP_BEGIN > memory->last)
            return i;
        if (is_gather)
            memcpy(packed + i * nbytes, base + offset, nbytes);
        else
            memcpy(base + offset, packed + i * nbytes, nbytes);
    }
    return end;
}

INLINE size_t copy_all(const memory_t *memory, const pgas_ptr_t *list, size_t count, char *packed,
                       size_t nbytes, bool is_gather)
{
    size_t fetched = count > AHEAD ? count - AHEAD : 0;
    size_t done = copy_some(memory, list, 0, fetched, packed, nbytes, is_gather, true);
    if (done < fetched)
        return done;
    return copy_some(memory, list, fetched, count, packed, nbytes, is_gather, false);
}

INLINE size_t copy(const pgas_ptr_t *list, size_t count, char *packed, size_t nbytes,
                   bool is_gather)
{
    uint32_t thread = list->thread;
    if (thread >= pgasi_job.threads || pgasi_job.peers[thread].base == NULL ||
        nbytes > pgasi_node_memory.stride - PGASI_HEAP_BEGIN)
        return 0;
    memory_t memory = {
        .thread = thread,
        .base = pgasi_job.peers[thread].base,
        .last = pgasi_node_memory.stride - PGASI_HEAP_BEGIN - nbytes,
    };
    switch (nbytes) { /* values, which are loaded and stored once */
    case 2:
        return copy_all(&memory, list, count, packed, 2, is_gather);
    case 4:
        return copy_all(&memory, list, count, packed, 4, is_gather);
    case 8:
        return copy_all(&memory, list, count, packed, 8, is_gather);
    case 16:
        return copy_all(&memory, list, count, packed, 16, is_gather);
    default:
        return copy_all(&memory, list, count, packed, nbytes, is_gather);
    }
}

size_t pgasi_direct_gather(char *dst, const pgas_ptr_t *list, size_t count, size_t nbytes)
{
    return copy(list, count, dst, nbytes, true);
}

size_t pgasi_direct_scatter(const pgas_ptr_t *list, size_t count, const char *src, size_t nbytes)
{
    return copy(list, count, (char *)src, nbytes, false);
}
