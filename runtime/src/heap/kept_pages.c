#include "heap/kept_pages.h"

/* Its block is not free yet. */
static const uint64_t NOT_SETTLED = UINT64_MAX;

/* The place of the chunk of an offset in the list; their number: none. */
static uint32_t find(const pgasi_kept_pages_t *kept, uint64_t offset)
{
    uint32_t i = 0;
    while (i < kept->count && kept->numbers[i] != offset / PGASI_KEPT_CHUNK)
        i++;
    return i;
}

bool pgasi_kept_pages_have(const pgasi_kept_pages_t *kept, uint64_t offset)
{
    return find(kept, offset) < kept->count;
}

static void take_off(pgasi_kept_pages_t *kept, uint32_t place)
{
    kept->count--;
    kept->numbers[place] = kept->numbers[kept->count];
    kept->since[place] = kept->since[kept->count];
}

void pgasi_kept_pages_use(pgasi_kept_pages_t *kept, uint64_t begin, uint64_t end)
{
    for (uint32_t i = (uint32_t)kept->count; i-- > 0;) {
        uint64_t at = kept->numbers[i] * PGASI_KEPT_CHUNK;
        if (at >= begin && at < end && end - at >= PGASI_KEPT_CHUNK)
            take_off(kept, i);
    }
}

static uint64_t room_of(const pgasi_kept_pages_t *kept, uint64_t most)
{
    uint64_t chunks = most / PGASI_KEPT_CHUNK;
    if (chunks > PGASI_KEPT_CHUNKS)
        chunks = PGASI_KEPT_CHUNKS;
    return kept->count < chunks ? chunks - kept->count : 0;
}

void pgasi_kept_pages_add(pgasi_kept_pages_t *kept, uint64_t begin, uint64_t end, uint64_t most)
{
    bool is_refused = false;
    for (uint64_t at = begin; at < end; at += PGASI_KEPT_CHUNK) {
        uint32_t place = find(kept, at);
        bool has_place = place < kept->count || room_of(kept, most) > 0;
        is_refused |= !has_place;
        if (!has_place)
            continue;
        if (place == kept->count)
            kept->numbers[kept->count++] = at / PGASI_KEPT_CHUNK;
        kept->since[place] = NOT_SETTLED;
    }
    kept->refused += is_refused;
}

void pgasi_kept_pages_settle(pgasi_kept_pages_t *kept, uint64_t begin, uint64_t end)
{
    for (uint32_t i = 0; i < kept->count; i++) {
        uint64_t at = kept->numbers[i] * PGASI_KEPT_CHUNK;
        if (at >= begin && at < end)
            kept->since[i] = kept->refused;
    }
}

/* Chunks of a free block. Those with a part of something else are none of its: its tag stays. */
typedef struct span {
    uint64_t first;
    uint64_t behind; /* those that will be allocated */
    uint64_t last;
} span_t;

static span_t span_of(uint64_t begin, uint64_t end, uint64_t nbytes)
{
    uint64_t first = begin / PGASI_KEPT_CHUNK + 1;
    return (span_t){first, first + nbytes / PGASI_KEPT_CHUNK, end / PGASI_KEPT_CHUNK};
}

/* The place of a chunk that can give way to those that will be allocated; the number of chunks:
 * there is none. */
typedef uint32_t find_chunk_t(const pgasi_kept_pages_t *kept, span_t span);

/* The last one of the block. */
static uint32_t find_last(const pgasi_kept_pages_t *kept, span_t span)
{
    uint32_t found = (uint32_t)kept->count;
    for (uint32_t i = 0; i < kept->count; i++)
        if (kept->numbers[i] >= span.behind && kept->numbers[i] < span.last &&
            (found == kept->count || kept->numbers[i] > kept->numbers[found]))
            found = i;
    return found;
}

/* That which has stayed for the most refusals, and for so many. */
static uint32_t find_stale(const pgasi_kept_pages_t *kept, span_t span)
{
    uint32_t found = (uint32_t)kept->count;
    for (uint32_t i = 0; i < kept->count; i++)
        if ((kept->numbers[i] < span.first || kept->numbers[i] >= span.behind) &&
            kept->since[i] != NOT_SETTLED &&
            kept->refused - kept->since[i] >= PGASI_KEPT_PATIENCE &&
            (found == kept->count || kept->since[i] < kept->since[found]))
            found = i;
    return found;
}

static bool lacks_room(const pgasi_kept_pages_t *kept, span_t span, uint64_t most)
{
    uint64_t missing = 0;
    for (uint64_t i = span.first;
         i < span.behind && i < span.last && i - span.first < PGASI_KEPT_CHUNKS; i++)
        missing += !pgasi_kept_pages_have(kept, i * PGASI_KEPT_CHUNK);
    return missing > room_of(kept, most);
}

static uint32_t give(pgasi_kept_pages_t *kept, span_t span, find_chunk_t *find_chunk, uint64_t most,
                     uint64_t chunks[PGASI_KEPT_CHUNKS])
{
    uint32_t count = 0;
    while (lacks_room(kept, span, most)) {
        uint32_t place = find_chunk(kept, span);
        if (place == kept->count)
            break;
        chunks[count++] = kept->numbers[place] * PGASI_KEPT_CHUNK;
        take_off(kept, place);
    }
    return count;
}

uint32_t pgasi_kept_pages_give_way(pgasi_kept_pages_t *kept, uint64_t begin, uint64_t end,
                                   uint64_t nbytes, uint64_t most,
                                   uint64_t chunks[PGASI_KEPT_CHUNKS])
{
    return give(kept, span_of(begin, end, nbytes), find_last, most, chunks);
}

uint32_t pgasi_kept_pages_give_stale(pgasi_kept_pages_t *kept, uint64_t begin, uint64_t end,
                                     uint64_t nbytes, uint64_t most,
                                     uint64_t chunks[PGASI_KEPT_CHUNKS])
{
    return give(kept, span_of(begin, end, nbytes), find_stale, most, chunks);
}
