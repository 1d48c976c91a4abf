#include "vis/strided.h"

#include <pgas/vis.h>

#include "base/in_job.h"
#include "copy/async.h"
#include "vis/box.h"
#include "vis/walk.h"

/* Bytes from the first to the last of a section with the strides of one side. */
static size_t extent(const char *call, const char *side, const size_t *strides, const size_t *count,
                     size_t levels)
{
    size_t sum = count[0];
    size_t unit = 1;
    for (size_t i = 0; i < levels; i++) {
        size_t least;
        size_t reach;
        if (__builtin_mul_overflow(count[i], unit, &least) || strides[i] < least)
            pgasi_fatal(call, "%sstrides[%zu] is %zu, but count[%zu] is %zu, of %zu bytes each",
                        side, i, strides[i], i, count[i], unit);
        if (__builtin_mul_overflow(count[i + 1] - 1, strides[i], &reach) ||
            __builtin_add_overflow(sum, reach, &sum))
            pgasi_fatal(call, "the %s section overflows", side);
        unit = strides[i];
    }
    return sum;
}

static bool is_empty(const size_t *count, size_t levels)
{
    for (size_t i = 0; i <= levels; i++)
        if (count[i] == 0)
            return true;
    return false;
}

void pgasi_strided(pgasi_group_t *group, const char *call, pgasi_address_t dst,
                   const size_t *dststrides, pgasi_address_t src, const size_t *srcstrides,
                   const size_t *count, size_t levels)
{
    pgasi_require_counts(call, count);
    if (is_empty(count, levels))
        return;
    pgasi_require_strides(call, dststrides, srcstrides, levels);
    size_t dst_extent = extent(call, "dst", dststrides, count, levels);
    size_t src_extent = extent(call, "src", srcstrides, count, levels);
    pgasi_end_t to = pgasi_address_open(call, &dst, 0, dst_extent);
    pgasi_end_t from = pgasi_address_open(call, &src, 0, src_extent);
    pgasi_box_t box;
    size_t nbytes = count[0];
    pgasi_box_begin(&box, count[0]);
    for (size_t i = 0; i < levels; i++) {
        pgasi_box_repeat(&box, count[i + 1], (ptrdiff_t)dststrides[i], (ptrdiff_t)srcstrides[i]);
        nbytes *= count[i + 1]; /* at most the extent */
    }
    pgasi_address_count(&src, PGAS_FROM, nbytes);
    pgasi_address_count(&dst, PGAS_TO, nbytes);
    pgasi_box_move(group, &box, to, from);
}

/* One side of an fstrided copy. */
typedef struct chunks {
    pgasi_address_t address;
    size_t length;
    size_t stride;
    size_t count;
} chunks_t;

static chunks_t chunks(pgasi_address_t address, size_t length, size_t stride, size_t count)
{
    return (chunks_t){.address = address, .length = length, .stride = stride, .count = count};
}

static size_t total_of(const char *call, const chunks_t *side)
{
    size_t total;
    if (__builtin_mul_overflow(side->length, side->count, &total))
        pgasi_fatal(call, "%zu chunks of %zu bytes are more than there is memory", side->count,
                    side->length);
    return total;
}

static pgasi_end_t open_chunks(const char *call, const chunks_t *side)
{
    if (side->stride < side->length)
        pgasi_fatal(call, "a stride of %zu bytes, but chunks of %zu", side->stride, side->length);
    size_t reach;
    if (__builtin_mul_overflow(side->count - 1, side->stride, &reach) ||
        __builtin_add_overflow(reach, side->length, &reach))
        pgasi_fatal(call, "%zu chunks every %zu bytes overflow", side->count, side->stride);
    return pgasi_address_open(call, &side->address, 0, reach);
}

static bool is_contiguous(const chunks_t *side)
{
    return side->count == 1 || side->stride == side->length;
}

/* Describes the copy as a box. False if the chunks of neither side consist of whole chunks of the
 * other; a contiguous side is cut to suit. */
static bool make_box(pgasi_box_t *box, const chunks_t *dst, const chunks_t *src)
{
    ptrdiff_t dst_length = (ptrdiff_t)dst->length;
    ptrdiff_t src_length = (ptrdiff_t)src->length;
    ptrdiff_t dst_stride = (ptrdiff_t)dst->stride;
    ptrdiff_t src_stride = (ptrdiff_t)src->stride;
    if (is_contiguous(src)) {
        pgasi_box_begin(box, dst->length);
        pgasi_box_repeat(box, dst->count, dst_stride, dst_length);
    } else if (is_contiguous(dst)) {
        pgasi_box_begin(box, src->length);
        pgasi_box_repeat(box, src->count, src_length, src_stride);
    } else if (dst_length % src_length == 0) {
        ptrdiff_t ratio = dst_length / src_length;
        pgasi_box_begin(box, src->length);
        pgasi_box_repeat(box, (size_t)ratio, src_length, src_stride);
        pgasi_box_repeat(box, dst->count, dst_stride, src_stride * ratio);
    } else if (src_length % dst_length == 0) {
        ptrdiff_t ratio = src_length / dst_length;
        pgasi_box_begin(box, dst->length);
        pgasi_box_repeat(box, (size_t)ratio, dst_stride, dst_length);
        pgasi_box_repeat(box, src->count, dst_stride * ratio, src_stride);
    } else {
        return false;
    }
    return true;
}

static void fill_chunks(pgasi_side_t *side)
{
    const chunks_t *of = side->state;
    size_t first = of->count - side->left;
    size_t count = side->left < PGASI_REGIONS ? side->left : PGASI_REGIONS;
    for (size_t i = 0; i < count; i++) {
        size_t distance = (first + i) * of->stride;
        if (of->address.is_shared) {
            pgas_ptr_t ptr = of->address.ptr;
            ptr.offset += distance;
            pgasi_side_put(side, i, ptr, of->length);
        } else {
            side->scratch_address[i] = pgasi_private_end(of->address.pointer).address + distance;
        }
    }
    pgasi_side_use_scratch(side, count);
    side->lengths = NULL;
    side->left -= count;
}

static void make_side(pgasi_side_t *side, const char *call, chunks_t *of,
                      pgas_direction_t direction)
{
    side->fill = fill_chunks;
    side->call = call;
    side->state = of;
    side->left = of->count;
    side->length = of->length;
    side->counter = of->address.is_shared ? pgasi_peer_counter_begin(direction) : NULL;
}

static void fstrided(pgasi_group_t *group, const char *call, chunks_t dst, chunks_t src)
{
    size_t nbytes = total_of(call, &dst);
    if (nbytes != total_of(call, &src))
        pgasi_fatal(call, "%zu chunks of %zu bytes to %zu of %zu", src.count, src.length, dst.count,
                    dst.length);
    if (nbytes == 0)
        return;
    pgasi_require_job(call);
    pgasi_end_t to = open_chunks(call, &dst);
    pgasi_end_t from = open_chunks(call, &src);
    pgasi_box_t box;
    if (make_box(&box, &dst, &src)) {
        pgasi_address_count(&src.address, PGAS_FROM, nbytes);
        pgasi_address_count(&dst.address, PGAS_TO, nbytes);
        pgasi_box_move(group, &box, to, from);
    } else {
        pgasi_side_t dst_side;
        pgasi_side_t src_side;
        make_side(&dst_side, call, &dst, PGAS_TO);
        make_side(&src_side, call, &src, PGAS_FROM);
        pgasi_walk(group, &dst_side, &src_side, nbytes);
    }
}

#define FSTRIDED(copy, dst_t, dst_address, src_t, src_address) \
    PGASI_FORMS(pgas_##copy##_fstrided, \
                (dst_t dst, size_t dstchunklen, size_t dstchunkstride, size_t dstchunkcount, \
                 src_t src, size_t srcchunklen, size_t srcchunkstride, size_t srcchunkcount), \
                fstrided(group, __func__, \
                         chunks(dst_address(dst), dstchunklen, dstchunkstride, dstchunkcount), \
                         chunks(src_address(src), srcchunklen, srcchunkstride, srcchunkcount)))
PGASI_COPIES(FSTRIDED)

#define STRIDED(copy, dst_t, dst_address, src_t, src_address) \
    PGASI_FORMS(pgas_##copy##_strided, \
                (dst_t dst, const size_t dststrides[], src_t src, const size_t srcstrides[], \
                 const size_t count[], size_t stridelevels), \
                pgasi_strided(group, __func__, dst_address(dst), dststrides, src_address(src), \
                              srcstrides, count, stridelevels))
PGASI_COPIES(STRIDED)
