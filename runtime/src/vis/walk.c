#include "vis/walk.h"

#include <pgas/detail.h>

#ifdef PGAS_DEBUG
#include "vis/overlap.h"
#endif

/* For functions that are compiled once per constant length. */
#define INLINE static inline __attribute__((always_inline))

INLINE void pairs(void *const *dst, void *const *src, size_t count, size_t length)
{
    for (size_t i = 0; i < count; i++)
        pgasi_copy(dst[i], src[i], length);
}

INLINE void gather(char *dst, void *const *src, size_t count, size_t length)
{
    for (size_t i = 0; i < count; i++)
        pgasi_copy(dst + i * length, src[i], length);
}

INLINE void scatter(void *const *dst, const char *src, size_t count, size_t length)
{
    for (size_t i = 0; i < count; i++)
        pgasi_copy(dst[i], src + i * length, length);
}

static void move_pairs(void *const *dst, void *const *src, size_t count, size_t length)
{
    switch (length) {
    case 4:
        pairs(dst, src, count, 4);
        break;
    case 8:
        pairs(dst, src, count, 8);
        break;
    case 16:
        pairs(dst, src, count, 16);
        break;
    default:
        pairs(dst, src, count, length);
    }
}

static void move_gather(char *dst, void *const *src, size_t count, size_t length)
{
    switch (length) {
    case 4:
        gather(dst, src, count, 4);
        break;
    case 8:
        gather(dst, src, count, 8);
        break;
    case 16:
        gather(dst, src, count, 16);
        break;
    default:
        gather(dst, src, count, length);
    }
}

static void move_scatter(void *const *dst, const char *src, size_t count, size_t length)
{
    switch (length) {
    case 4:
        scatter(dst, src, count, 4);
        break;
    case 8:
        scatter(dst, src, count, 8);
        break;
    case 16:
        scatter(dst, src, count, 16);
        break;
    default:
        scatter(dst, src, count, length);
    }
}

static size_t length_at(const pgasi_side_t *side)
{
    return side->lengths != NULL ? side->lengths[side->at] : side->length;
}

static bool is_even(const pgasi_side_t *side)
{
    return side->lengths == NULL && side->begun == 0;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void advance(pgasi_side_t *side, size_t nbytes)
{
    side->begun += nbytes;
    if (side->begun == length_at(side)) {
        side->begun = 0;
        side->at++;
    }
}

static pgasi_end_t end_at(const pgasi_side_t *side)
{
    void *address = side->address[side->at];
    if (address != NULL)
        return pgasi_private_end((char *)address + side->begun);
    pgas_ptr_t remote = side->remote[side->at];
    remote.offset += side->begun;
    return (pgasi_end_t){.address = NULL, .remote = remote};
}

/* Region by region, as far as the batches reach. */
static size_t walk_unlike(pgasi_group_t *group, pgasi_side_t *dst, pgasi_side_t *src)
{
    size_t done = 0;
    while (dst->at < dst->count && src->at < src->count) {
        size_t step = least(length_at(dst) - dst->begun, length_at(src) - src->begun);
        pgasi_move(group, end_at(dst), end_at(src), step);
        advance(dst, step);
        advance(src, step);
        done += step;
    }
    return done;
}

/* Both sides are local; regions of one size are copied many at a time. */
static size_t walk_local(pgasi_group_t *group, pgasi_side_t *dst, pgasi_side_t *src)
{
    if (is_even(dst) && is_even(src) && dst->length == src->length) {
        size_t count = least(dst->count - dst->at, src->count - src->at);
        move_pairs(dst->address + dst->at, src->address + src->at, count, src->length);
        dst->at += count;
        src->at += count;
        return count * src->length;
    }
    size_t dst_rest = length_at(dst) - dst->begun;
    size_t src_rest = length_at(src) - src->begun;
    if (is_even(src) && dst_rest >= src->length) {
        size_t count = least(dst_rest / src->length, src->count - src->at);
        move_gather((char *)dst->address[dst->at] + dst->begun, src->address + src->at, count,
                    src->length);
        src->at += count;
        advance(dst, count * src->length);
        return count * src->length;
    }
    if (is_even(dst) && src_rest >= dst->length) {
        size_t count = least(src_rest / dst->length, dst->count - dst->at);
        move_scatter(dst->address + dst->at, (char *)src->address[src->at] + src->begun, count,
                     dst->length);
        dst->at += count;
        advance(src, count * dst->length);
        return count * dst->length;
    }
    return walk_unlike(group, dst, src);
}

static void note_regions(pgasi_side_t *side, bool is_destination)
{
#ifdef PGAS_DEBUG
    for (side->at = 0; side->at < side->count; side->at++)
        pgasi_overlap_note(end_at(side), length_at(side), is_destination);
#endif
    (void)is_destination;
    side->at = 0;
}

static void refill(pgasi_side_t *side, bool is_destination)
{
    if (side->at < side->count)
        return;
    side->is_local = true;
    side->fill(side);
    note_regions(side, is_destination);
}

void pgasi_walk(pgasi_group_t *group, pgasi_side_t *dst, pgasi_side_t *src, size_t nbytes)
{
    dst->count = dst->at = dst->begun = 0;
    src->count = src->at = src->begun = 0;
    while (nbytes > 0) {
        refill(dst, true);
        refill(src, false);
        nbytes -= dst->is_local && src->is_local ? walk_local(group, dst, src)
                                                 : walk_unlike(group, dst, src);
    }
    pgasi_relay_finish();
#ifdef PGAS_DEBUG
    pgasi_overlap_check(dst->call);
#endif
    pgasi_peer_counter_count(src->counter);
    pgasi_peer_counter_count(dst->counter);
}

static void fill_private(pgasi_side_t *side)
{
    side->count = 1;
}

void pgasi_side_of_private(pgasi_side_t *side, const char *call, const void *address, size_t nbytes)
{
    side->fill = fill_private;
    side->scratch_address[0] = pgasi_private_end(address).address;
    side->address = side->scratch_address;
    side->lengths = NULL;
    side->length = nbytes;
    side->counter = NULL;
    side->call = call;
}
