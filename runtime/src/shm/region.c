#include "shm/region.h"

/* A tag precedes every block. `size` counts the tag; `before` is the size of the block in
 * front, 0 for the first one, so that both neighbours of a freed block are found. */
typedef struct tag {
    uint64_t size;
    uint64_t before;
    uint64_t state;
    /** A free block's neighbours in the bin's list, as offsets of tags; 0: none. */
    uint64_t next;
    uint64_t previous;
} tag_t;

_Static_assert(sizeof(tag_t) <= PGASI_REGION_UNIT, "a tag fits one unit");

/* Values that user data are unlikely to have. */
static const uint64_t state_used = 0x7573656420626c6bU;
static const uint64_t state_free = 0x6672656520626c6bU;

static tag_t *tag_at(char *base, uint64_t at)
{
    return (tag_t *)(void *)(base + at);
}

static const tag_t *look_at(const char *base, uint64_t at)
{
    return (const tag_t *)(const void *)(base + at);
}

static unsigned bin_of(uint64_t size)
{
    return 63U - (unsigned)__builtin_clzll(size);
}

static void list_insert(pgasi_region_t *region, char *base, uint64_t at)
{
    tag_t *tag = tag_at(base, at);
    unsigned bin = bin_of(tag->size);
    tag->state = state_free;
    tag->previous = 0;
    tag->next = region->bins[bin];
    if (tag->next != 0)
        tag_at(base, tag->next)->previous = at;
    region->bins[bin] = at;
    region->occupied |= UINT64_C(1) << bin;
}

static void list_remove(pgasi_region_t *region, char *base, uint64_t at)
{
    tag_t *tag = tag_at(base, at);
    unsigned bin = bin_of(tag->size);
    if (tag->next != 0)
        tag_at(base, tag->next)->previous = tag->previous;
    if (tag->previous != 0)
        tag_at(base, tag->previous)->next = tag->next;
    else
        region->bins[bin] = tag->next;
    if (region->bins[bin] == 0)
        region->occupied &= ~(UINT64_C(1) << bin);
}

/* Sets a block's size, in the tag of the block behind it too. */
static void set_size(const pgasi_region_t *region, char *base, uint64_t at, uint64_t size)
{
    tag_at(base, at)->size = size;
    if (at + size < region->end)
        tag_at(base, at + size)->before = size;
}

void pgasi_region_init(pgasi_region_t *region, char *base, uint64_t begin, uint64_t end)
{
    *region = (pgasi_region_t){.begin = begin, .end = end};
    tag_at(base, begin)->before = 0;
    set_size(region, base, begin, end - begin);
    list_insert(region, base, begin);
}

/* Where the payload would start if the block at `at` were used. */
static uint64_t aligned_payload(uint64_t at, uint64_t alignment)
{
    return (at + PGASI_REGION_UNIT + alignment - 1) & ~(alignment - 1);
}

static bool fits(const char *base, uint64_t at, uint64_t nbytes, uint64_t alignment)
{
    uint64_t size = look_at(base, at)->size;
    uint64_t needed = aligned_payload(at, alignment) - at;
    return needed <= size && nbytes <= size - needed;
}

/* A block that fits among the first `most` of each of `bins`. */
static uint64_t find_among(const pgasi_region_t *region, const char *base, uint64_t bins,
                           uint64_t most, uint64_t nbytes, uint64_t alignment)
{
    for (; bins != 0; bins &= bins - 1) {
        uint64_t at = region->bins[__builtin_ctzll(bins)];
        for (uint64_t i = 0; at != 0 && i < most; i++, at = look_at(base, at)->next)
            if (fits(base, at, nbytes, alignment))
                return at;
    }
    return 0;
}

/* In the bins up to that of the most that may be needed there are blocks that do not fit, any
 * number of them. Where some do not, a larger block is split, of which each fits. */
static uint64_t find(const pgasi_region_t *region, const char *base, uint64_t nbytes,
                     uint64_t alignment)
{
    enum {
        MOST_LOOKS = 32
    };
    uint64_t enough = nbytes + (alignment > PGASI_REGION_UNIT ? alignment : PGASI_REGION_UNIT);
    uint64_t large = ~UINT64_C(1) << bin_of(enough);
    uint64_t bins = region->occupied & (~UINT64_C(0) << bin_of(nbytes));
    uint64_t at = find_among(region, base, bins & ~large, MOST_LOOKS, nbytes, alignment);
    if (at == 0)
        at = find_among(region, base, bins & large, 1, nbytes, alignment);
    if (at == 0)
        at = find_among(region, base, bins & ~large, UINT64_MAX, nbytes, alignment);
    return at;
}

/* Splits a block at `cut` bytes; the second part becomes a free block. */
static void split(pgasi_region_t *region, char *base, uint64_t at, uint64_t cut)
{
    uint64_t rest = tag_at(base, at)->size - cut;
    set_size(region, base, at, cut);
    set_size(region, base, at + cut, rest);
    list_insert(region, base, at + cut);
}

static uint64_t round_up(uint64_t nbytes)
{
    return (nbytes + PGASI_REGION_UNIT - 1) & ~(PGASI_REGION_UNIT - 1);
}

uint64_t pgasi_region_cost(uint64_t nbytes)
{
    uint64_t taken = round_up(nbytes) + PGASI_REGION_UNIT;
    return taken > nbytes ? taken : UINT64_MAX;
}

uint64_t pgasi_region_alloc(pgasi_region_t *region, char *base, uint64_t nbytes, uint64_t alignment,
                            uint64_t *taken)
{
    if (nbytes > region->end - region->begin)
        return 0;
    nbytes = round_up(nbytes);
    uint64_t at = find(region, base, nbytes, alignment);
    if (at == 0)
        return 0;
    list_remove(region, base, at);
    uint64_t lead = aligned_payload(at, alignment) - PGASI_REGION_UNIT - at;
    if (lead > 0) {
        split(region, base, at, lead);
        list_insert(region, base, at);
        at += lead;
        list_remove(region, base, at);
    }
    if (tag_at(base, at)->size > nbytes + PGASI_REGION_UNIT)
        split(region, base, at, nbytes + PGASI_REGION_UNIT);
    tag_at(base, at)->state = state_used;
    *taken = tag_at(base, at)->size;
    return at + PGASI_REGION_UNIT;
}

bool pgasi_region_owns(const pgasi_region_t *region, const char *base, uint64_t offset)
{
    return offset % PGASI_REGION_UNIT == 0 && offset >= region->begin + PGASI_REGION_UNIT &&
           offset < region->end && look_at(base, offset - PGASI_REGION_UNIT)->state == state_used;
}

/* Those of the bins from that of `least` on, until `most` have been visited; how many. */
static uint64_t visit_bins(const pgasi_region_t *region, const char *base, uint64_t least,
                           uint64_t most,
                           void (*visit)(void *argument, uint64_t begin, uint64_t end),
                           void *argument)
{
    uint64_t bins = region->occupied & (~UINT64_C(0) << bin_of(least));
    uint64_t visited = 0;
    for (; bins != 0; bins &= bins - 1) {
        uint64_t at = region->bins[__builtin_ctzll(bins)];
        for (; at != 0 && visited < most; at = look_at(base, at)->next, visited++)
            if (visit != NULL)
                visit(argument, at + PGASI_REGION_UNIT, at + look_at(base, at)->size);
    }
    return visited;
}

bool pgasi_region_visit_free(const pgasi_region_t *region, const char *base, uint64_t least,
                             uint64_t most,
                             void (*visit)(void *argument, uint64_t begin, uint64_t end),
                             void *argument)
{
    if (visit_bins(region, base, least, most + 1, NULL, NULL) > most)
        return false;
    visit_bins(region, base, least, most, visit, argument);
    return true;
}

bool pgasi_region_find(const pgasi_region_t *region, const char *base, uint64_t offset,
                       uint64_t *begin, uint64_t *end)
{
    uint64_t at = region->begin;
    while (at < region->end && offset >= at + look_at(base, at)->size &&
           look_at(base, at)->size > 0)
        at += look_at(base, at)->size;
    if (at >= region->end || offset < at + PGASI_REGION_UNIT ||
        look_at(base, at)->state != state_used)
        return false;
    *begin = at + PGASI_REGION_UNIT;
    *end = at + look_at(base, at)->size;
    return true;
}

bool pgasi_region_retire(const pgasi_region_t *region, char *base, uint64_t offset, uint64_t *taken)
{
    if (!pgasi_region_owns(region, base, offset))
        return false;
    tag_t *tag = tag_at(base, offset - PGASI_REGION_UNIT);
    tag->state = 0;
    *taken = tag->size;
    return true;
}

pgasi_region_block_t pgasi_region_free(pgasi_region_t *region, char *base, uint64_t offset,
                                       uint64_t *taken)
{
    uint64_t at = offset - PGASI_REGION_UNIT;
    uint64_t size = tag_at(base, at)->size;
    *taken = size;
    tag_at(base, at)->state = 0; /* a second free must not find this tag, merged or not */
    uint64_t behind = at + size;
    if (behind < region->end && tag_at(base, behind)->state == state_free) {
        list_remove(region, base, behind);
        size += tag_at(base, behind)->size;
    }
    uint64_t before = tag_at(base, at)->before;
    if (before != 0 && tag_at(base, at - before)->state == state_free) {
        at -= before;
        list_remove(region, base, at);
        size += before;
    }
    set_size(region, base, at, size);
    list_insert(region, base, at);
    return (pgasi_region_block_t){at, at + size};
}
