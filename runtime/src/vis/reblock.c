#include <pgas/reblock.h>

#include "base/in_job.h"
#include "copy/async.h"
#include "copy/transfer.h"
#include "vis/walk.h"

/* The position of a walk over an array. */
typedef struct position {
    const pgas_array_t *array;
    size_t left;
    /* The block, and the element in it. */
    uint32_t thread;
    uint64_t block_offset;
    size_t phase;
} position_t;

static void next_block(position_t *at)
{
    at->phase = 0;
    if (++at->thread == pgasi_job.threads) {
        at->thread = 0;
        at->block_offset += at->array->block * at->array->elem_size;
    }
}

/* A batch is many whole blocks, or one part of a block. */
static void fill_array(pgasi_side_t *side)
{
    position_t *at = side->state;
    const pgas_array_t *array = at->array;
    bool is_part = at->phase > 0 || at->left < array->block;
    size_t rest = array->block - at->phase;
    size_t run = at->left < rest ? at->left : rest;
    size_t count = is_part ? 1 : at->left / array->block;
    if (count > PGASI_REGIONS)
        count = PGASI_REGIONS;
    if (pgasi_job.threads == 1) {
        count = 1;
        run = at->left;
    }
    for (size_t i = 0; i < count; i++) {
        pgas_ptr_t ptr = {at->thread, 0, at->block_offset + at->phase * array->elem_size};
        pgasi_check_shared(side->call, ptr, run * array->elem_size);
        pgasi_side_put(side, i, ptr, run * array->elem_size);
        next_block(at);
    }
    at->left -= count * run;
    pgasi_side_use_scratch(side, count);
    side->lengths = NULL;
    side->length = run * array->elem_size;
}

static void require_array(const char *call, const pgas_array_t *array)
{
    if (array == NULL)
        pgasi_fatal(call, "the array is NULL");
}

static void make_side(pgasi_side_t *side, const char *call, position_t *at,
                      const pgas_array_t *array, size_t first, size_t count,
                      pgas_direction_t direction)
{
    pgasi_require_job(call);
    require_array(call, array);
    if (first > array->count || count > array->count - first)
        pgasi_fatal(call, "%zu elements from %zu on of an array of %zu", count, first,
                    array->count);
    pgas_ptr_t ptr = pgas_array_at(array, first);
    *at = (position_t){
        .array = array,
        .left = count,
        .thread = ptr.thread,
        .block_offset = ptr.offset - ptr.phase * array->elem_size,
        .phase = ptr.phase,
    };
    side->fill = fill_array;
    side->call = call;
    side->state = at;
    side->counter = pgasi_peer_counter_begin(direction);
}

static void reblock(pgasi_group_t *group, const char *call, const pgas_array_t *dst,
                    size_t dstfirst, const pgas_array_t *src, size_t srcfirst, size_t count)
{
    pgasi_side_t dst_side;
    pgasi_side_t src_side;
    position_t dst_at;
    position_t src_at;
    if (count == 0)
        return;
    require_array(call, dst);
    require_array(call, src);
    if (dst->elem_size != src->elem_size)
        pgasi_fatal(call, "elements of %zu bytes to elements of %zu", src->elem_size,
                    dst->elem_size);
    make_side(&dst_side, call, &dst_at, dst, dstfirst, count, PGAS_TO);
    make_side(&src_side, call, &src_at, src, srcfirst, count, PGAS_FROM);
    pgasi_walk(group, &dst_side, &src_side, count * src->elem_size);
}

static void get(pgasi_group_t *group, const char *call, void *dst, const pgas_array_t *src,
                size_t first, size_t count)
{
    pgasi_side_t dst_side;
    pgasi_side_t src_side;
    position_t at;
    if (count == 0)
        return;
    pgasi_check_private(call, dst);
    make_side(&src_side, call, &at, src, first, count, PGAS_FROM);
    pgasi_side_of_private(&dst_side, call, dst, count * src->elem_size);
    pgasi_walk(group, &dst_side, &src_side, count * src->elem_size);
}

static void put(pgasi_group_t *group, const char *call, const pgas_array_t *dst, size_t first,
                const void *src, size_t count)
{
    pgasi_side_t dst_side;
    pgasi_side_t src_side;
    position_t at;
    if (count == 0)
        return;
    pgasi_check_private(call, src);
    make_side(&dst_side, call, &at, dst, first, count, PGAS_TO);
    pgasi_side_of_private(&src_side, call, src, count * dst->elem_size);
    pgasi_walk(group, &dst_side, &src_side, count * dst->elem_size);
}

PGASI_FORMS(pgas_reblock,
            (const pgas_array_t *dst, size_t dstfirst, const pgas_array_t *src, size_t srcfirst,
             size_t count),
            reblock(group, __func__, dst, dstfirst, src, srcfirst, count))
PGASI_FORMS(pgas_reblock_get, (void *dst, const pgas_array_t *src, size_t first, size_t count),
            get(group, __func__, dst, src, first, count))
PGASI_FORMS(pgas_reblock_put,
            (const pgas_array_t *dst, size_t first, const void *src, size_t count),
            put(group, __func__, dst, first, src, count))
