#include "heap/kept_pages.h"

static uint32_t place_of(const pgasi_kept_pages_t *kept, uint64_t offset)
{
    uint32_t i = 0;
    while (i < kept->count && kept->numbers[i] != offset / PGASI_KEPT_CHUNK)
        i++;
    return i;
}

bool pgasi_kept_pages_have(const pgasi_kept_pages_t *kept, uint64_t offset)
{
    return place_of(kept, offset) < kept->count;
}

void pgasi_kept_pages_use(pgasi_kept_pages_t *kept, uint64_t begin, uint64_t end)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < kept->count; i++) {
        uint64_t at = kept->numbers[i] * PGASI_KEPT_CHUNK;
        if (at < begin || at >= end || end - at < PGASI_KEPT_CHUNK)
            kept->numbers[left++] = kept->numbers[i];
    }
    kept->count = left;
}

void pgasi_kept_pages_add(pgasi_kept_pages_t *kept, uint64_t begin, uint64_t end, uint64_t most)
{
    for (uint64_t at = begin; at < end; at += PGASI_KEPT_CHUNK) {
        if (kept->count == PGASI_KEPT_CHUNKS ||
            (kept->count + UINT64_C(1)) * PGASI_KEPT_CHUNK > most)
            return;
        if (!pgasi_kept_pages_have(kept, at))
            kept->numbers[kept->count++] = at / PGASI_KEPT_CHUNK;
    }
}
