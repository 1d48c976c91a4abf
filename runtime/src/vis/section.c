#include <pgas/section.h>

#include "copy/async.h"
#include "vis/box.h"
#include "vis/strided.h"

/* End the job if the distance of rows, or of planes, that the parameter `name` gives is too short.
 * Here, since pgasi_strided would speak of strides. */
static void require_row(const char *call, const char *name, size_t distance, size_t nbytes)
{
    if (distance < nbytes)
        pgasi_fatal(call, "%s is %zu, but a row has %zu bytes", name, distance, nbytes);
}

static void require_plane(const char *call, const char *name, size_t distance, size_t rows,
                          size_t row)
{
    size_t least;
    if (__builtin_mul_overflow(rows, row, &least) || distance < least)
        pgasi_fatal(call, "%s is %zu, but a plane has %zu rows, one every %zu bytes", name,
                    distance, rows, row);
}

static void plane(pgasi_group_t *group, const char *call, pgasi_address_t dst, size_t dstrow,
                  pgasi_address_t src, size_t srcrow, size_t nbytes, size_t rows)
{
    size_t count[] = {nbytes, rows};
    if (rows > 0) {
        require_row(call, "dstrow", dstrow, nbytes);
        require_row(call, "srcrow", srcrow, nbytes);
    }
    pgasi_strided(group, call, dst, &dstrow, src, &srcrow, count, 1);
}

static void box(pgasi_group_t *group, const char *call, pgasi_address_t dst, size_t dstrow,
                size_t dstplane, pgasi_address_t src, size_t srcrow, size_t srcplane, size_t nbytes,
                size_t rows, size_t planes)
{
    size_t count[] = {nbytes, rows, planes};
    size_t dststrides[] = {dstrow, dstplane};
    size_t srcstrides[] = {srcrow, srcplane};
    if (nbytes > 0 && rows > 0 && planes > 0) {
        require_row(call, "dstrow", dstrow, nbytes);
        require_row(call, "srcrow", srcrow, nbytes);
        require_plane(call, "dstplane", dstplane, rows, dstrow);
        require_plane(call, "srcplane", srcplane, rows, srcrow);
    }
    pgasi_strided(group, call, dst, dststrides, src, srcstrides, count, 2);
}

static size_t size_of(ptrdiff_t stride)
{
    return stride < 0 ? -(size_t)stride : (size_t)stride;
}

/* Finds the bytes that a side covers before and from its first element on. Ends the job if they
 * overflow. */
static pgasi_end_t open_side(const char *call, const pgasi_address_t *address,
                             const ptrdiff_t *strides, size_t elem_size, const size_t *count,
                             size_t dims)
{
    size_t below = 0;
    size_t above = elem_size;
    size_t all;
    for (size_t d = 0; d < dims; d++) {
        size_t reach;
        size_t *sum = strides[d] < 0 ? &below : &above;
        if (__builtin_mul_overflow(count[d] - 1, size_of(strides[d]), &reach) ||
            __builtin_add_overflow(*sum, reach, sum))
            pgasi_fatal(call, "%zu elements every %td bytes overflow", count[d], strides[d]);
    }
    if (__builtin_add_overflow(below, above, &all))
        pgasi_fatal(call, "the section overflows");
    return pgasi_address_open(call, address, below, all);
}

/* Puts the dimension in its place: the smaller the destination's steps, the further inside. */
static void insert(pgasi_dim_t *dims, size_t at, pgasi_dim_t dim)
{
    for (; at > 0 && size_of(dims[at - 1].dst) > size_of(dim.dst); at--)
        dims[at] = dims[at - 1];
    dims[at] = dim;
}

/* Puts the dimension with the source's smallest steps next to the first one, so that the two are
 * walked together. */
static void bring_together(pgasi_box_t *b)
{
    size_t least = 0;
    for (size_t d = 1; d < b->dims; d++)
        if (size_of(b->dim[d].src) < size_of(b->dim[least].src))
            least = d;
    if (least > 1) {
        pgasi_dim_t dim = b->dim[least];
        b->dim[least] = b->dim[1];
        b->dim[1] = dim;
    }
}

static void transposed(pgasi_group_t *group, const char *call, pgasi_address_t dst,
                       const ptrdiff_t *dststrides, pgasi_address_t src,
                       const ptrdiff_t *srcstrides, size_t elem_size, const size_t *count,
                       size_t dims)
{
    pgasi_dim_t sorted[PGASI_BOX_DIMS];
    size_t used = 0;
    size_t nbytes = elem_size;
    if (dims > 0)
        pgasi_require_counts(call, count);
    for (size_t d = 0; d < dims; d++)
        if (count[d] == 0)
            return;
    if (elem_size == 0)
        pgasi_fatal(call, "elements of 0 bytes");
    pgasi_require_strides(call, dststrides, srcstrides, dims);
    pgasi_end_t to = open_side(call, &dst, dststrides, elem_size, count, dims);
    pgasi_end_t from = open_side(call, &src, srcstrides, elem_size, count, dims);
    for (size_t d = 0; d < dims; d++) {
        pgasi_dim_t dim = {.count = count[d], .dst = dststrides[d], .src = srcstrides[d]};
        if (dim.count == 1)
            continue;
        if (dim.dst == 0)
            pgasi_fatal(call, "dststrides[%zu] is 0: %zu elements in the same place", d, dim.count);
        if (__builtin_mul_overflow(nbytes, dim.count, &nbytes))
            pgasi_fatal(call, "the section has more bytes than there is memory");
        if (dim.dst < 0) {
            /* Backwards on the one side is forwards from the other end. */
            ptrdiff_t last = (ptrdiff_t)dim.count - 1;
            to = pgasi_end_at(to, last * dim.dst);
            from = pgasi_end_at(from, last * dim.src);
            dim.dst = -dim.dst;
            dim.src = -dim.src;
        }
        insert(sorted, used++, dim);
    }
    pgasi_box_t b;
    pgasi_box_begin(&b, elem_size);
    for (size_t d = 0; d < used; d++)
        pgasi_box_repeat(&b, sorted[d].count, sorted[d].dst, sorted[d].src);
    bring_together(&b);
    pgasi_address_count(&src, PGAS_FROM, nbytes);
    pgasi_address_count(&dst, PGAS_TO, nbytes);
    pgasi_box_move(group, &b, to, from);
}

#define PLANE(copy, dst_t, dst_address, src_t, src_address) \
    PGASI_FORMS( \
        pgas_##copy##_2d, \
        (dst_t dst, size_t dstrow, src_t src, size_t srcrow, size_t nbytes, size_t rows), \
        plane(group, __func__, dst_address(dst), dstrow, src_address(src), srcrow, nbytes, rows))
PGASI_COPIES(PLANE)

#define BOX(copy, dst_t, dst_address, src_t, src_address) \
    PGASI_FORMS(pgas_##copy##_3d, \
                (dst_t dst, size_t dstrow, size_t dstplane, src_t src, size_t srcrow, \
                 size_t srcplane, size_t nbytes, size_t rows, size_t planes), \
                box(group, __func__, dst_address(dst), dstrow, dstplane, src_address(src), srcrow, \
                    srcplane, nbytes, rows, planes))
PGASI_COPIES(BOX)

#define TRANSPOSED(copy, dst_t, dst_address, src_t, src_address) \
    PGASI_FORMS(pgas_##copy##_transposed, \
                (dst_t dst, const ptrdiff_t dststrides[], src_t src, const ptrdiff_t srcstrides[], \
                 size_t elem_size, const size_t count[], size_t dims), \
                transposed(group, __func__, dst_address(dst), dststrides, src_address(src), \
                           srcstrides, elem_size, count, dims))
PGASI_COPIES(TRANSPOSED)
