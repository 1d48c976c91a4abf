#include "vis/overlap.h"

#include <stdlib.h>

/* Mapped memory is known by its address, and has no thread; other memory by thread and offset. */
#define MAPPED UINT32_MAX

typedef struct span {
    uint64_t begin;
    uint64_t end;
    uint32_t thread;
    bool is_destination;
} span_t;

static _Thread_local span_t *spans;
static _Thread_local size_t count;
static _Thread_local size_t size;

void pgasi_overlap_note(pgasi_end_t end, size_t nbytes, bool is_destination)
{
    if (count == size) {
        size = size == 0 ? 256 : 2 * size;
        spans = realloc(spans, size * sizeof *spans);
        if (spans == NULL)
            pgasi_fatal("copy", "no memory to check %zu regions", count);
    }
    bool local = end.address != NULL;
    uint64_t begin = local ? (uint64_t)(uintptr_t)end.address : end.remote.offset;
    spans[count++] = (span_t){
        .begin = begin,
        .end = begin + nbytes,
        .thread = local ? MAPPED : end.remote.thread,
        .is_destination = is_destination,
    };
}

static int compare(const void *a, const void *b)
{
    const span_t *x = a;
    const span_t *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

void pgasi_overlap_check(const char *call)
{
    uint64_t end = 0;
    uint64_t destination_end = 0;
    if (count > 0)
        qsort(spans, count, sizeof *spans, compare);
    for (size_t i = 0; i < count; i++) {
        const span_t *span = &spans[i];
        if (i == 0 || span->thread != spans[i - 1].thread)
            end = destination_end = 0;
        if (span->begin < (span->is_destination ? end : destination_end))
            pgasi_fatal(call, "a destination region overlaps another region");
        end = span->end > end ? span->end : end;
        if (span->is_destination && span->end > destination_end)
            destination_end = span->end;
    }
    count = 0;
}

void pgasi_overlap_detach(void)
{
    free(spans);
    spans = NULL;
    count = size = 0;
}
