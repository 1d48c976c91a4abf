#include "vis/box.h"

#include "vis/nontemporal.h"

/* For functions that are compiled once per constant chunk. */
#define INLINE static inline __attribute__((always_inline))

enum {
    /* Chunks of a tile's side in a transposition: a tile's lines stay in the first-level cache from
     * their first use to their last. */
    TILE = 16
};

void pgasi_box_begin(pgasi_box_t *box, size_t chunk)
{
    box->chunk = chunk;
    box->dims = 0;
}

void pgasi_box_repeat(pgasi_box_t *box, size_t count, ptrdiff_t dst, ptrdiff_t src)
{
    if (count == 1)
        return;
    if (box->dims == 0) {
        ptrdiff_t chunk = (ptrdiff_t)box->chunk;
        if (dst == chunk && src == chunk) {
            box->chunk *= count;
            return;
        }
    } else {
        pgasi_dim_t *last = &box->dim[box->dims - 1];
        if (dst == (ptrdiff_t)last->count * last->dst &&
            src == (ptrdiff_t)last->count * last->src) {
            last->count *= count;
            return;
        }
    }
    box->dim[box->dims++] = (pgasi_dim_t){.count = count, .dst = dst, .src = src};
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

INLINE void move_row(char *dst, const char *src, const pgasi_dim_t *row, size_t count, size_t chunk)
{
    pgasi_chunks_move(dst, row->dst, src, row->src, count, chunk);
}

static ptrdiff_t magnitude(ptrdiff_t step)
{
    return step < 0 ? -step : step;
}

INLINE void move_rows(char *dst, const char *src, const pgasi_dim_t *row, const pgasi_dim_t *column,
                      size_t chunk)
{
    for (size_t i = 0; i < column->count; i++)
        move_row(dst + (ptrdiff_t)i * column->dst, src + (ptrdiff_t)i * column->src, row,
                 row->count, chunk);
}

/* The destination's neighbours lie along the row, the source's along the column. */
INLINE void move_tiles(char *dst, const char *src, const pgasi_dim_t *row,
                       const pgasi_dim_t *column, size_t chunk)
{
    for (size_t i = 0; i < column->count; i += TILE) {
        size_t end = least(i + TILE, column->count);
        for (size_t k = 0; k < row->count; k += TILE)
            for (size_t j = i; j < end; j++)
                move_row(dst + (ptrdiff_t)j * column->dst + (ptrdiff_t)k * row->dst,
                         src + (ptrdiff_t)j * column->src + (ptrdiff_t)k * row->src, row,
                         least(TILE, row->count - k), chunk);
    }
}

INLINE void move_plane(char *dst, const char *src, const pgasi_dim_t *row,
                       const pgasi_dim_t *column, size_t chunk)
{
    if (magnitude(column->src) < magnitude(row->src) && column->count > 1)
        move_tiles(dst, src, row, column, chunk);
    else
        move_rows(dst, src, row, column, chunk);
}

static void local_plane(char *dst, const char *src, const pgasi_dim_t *row,
                        const pgasi_dim_t *column, size_t chunk)
{
    switch (chunk) {
    case 1:
        move_plane(dst, src, row, column, 1);
        break;
    case 2:
        move_plane(dst, src, row, column, 2);
        break;
    case 4:
        move_plane(dst, src, row, column, 4);
        break;
    case 8:
        move_plane(dst, src, row, column, 8);
        break;
    case 16:
        move_plane(dst, src, row, column, 16);
        break;
    case 32:
        move_plane(dst, src, row, column, 32);
        break;
    case 64:
        move_plane(dst, src, row, column, 64);
        break;
    default:
        move_plane(dst, src, row, column, chunk);
    }
}

/* Describes the longer of the two dimensions to the target as one strided run. */
static void remote_plane(pgasi_group_t *group, pgasi_end_t dst, pgasi_end_t src,
                         const pgasi_dim_t *row, const pgasi_dim_t *column, size_t chunk)
{
    const pgasi_dim_t *run = row->count < column->count ? column : row;
    const pgasi_dim_t *other = run == row ? column : row;
    const pgasi_chunks_t chunks = {chunk, run->count, run->dst, run->src};
    for (size_t i = 0; i < other->count; i++)
        pgasi_move_chunks(group, pgasi_end_at(dst, (ptrdiff_t)i * other->dst),
                          pgasi_end_at(src, (ptrdiff_t)i * other->src), &chunks);
}

/* Whole rows of a copy that is larger than the caches. */
static void stream_plane(char *dst, const char *src, const pgasi_dim_t *row,
                         const pgasi_dim_t *column, size_t chunk)
{
    for (size_t i = 0; i < column->count; i++)
        for (size_t k = 0; k < row->count; k++)
            pgasi_stream(dst + (ptrdiff_t)i * column->dst + (ptrdiff_t)k * row->dst,
                         src + (ptrdiff_t)i * column->src + (ptrdiff_t)k * row->src, chunk);
    pgasi_stream_finish();
}

static size_t bytes_of(const pgasi_box_t *box)
{
    size_t nbytes = box->chunk;
    for (size_t d = 0; d < box->dims; d++)
        nbytes *= box->dim[d].count;
    return nbytes;
}

/* Steps to the next plane: the dimensions from the third on count up, the first of them fastest.
 * False after the last. */
static bool next_plane(const pgasi_box_t *box, size_t *index, pgasi_end_t *dst, pgasi_end_t *src)
{
    for (size_t d = 2; d < box->dims; d++) {
        const pgasi_dim_t *dim = &box->dim[d];
        bool is_step = ++index[d] < dim->count;
        ptrdiff_t steps = is_step ? 1 : 1 - (ptrdiff_t)dim->count;
        *dst = pgasi_end_at(*dst, steps * dim->dst);
        *src = pgasi_end_at(*src, steps * dim->src);
        if (is_step)
            return true;
        index[d] = 0;
    }
    return false;
}

void pgasi_box_move(pgasi_group_t *group, const pgasi_box_t *box, pgasi_end_t dst, pgasi_end_t src)
{
    static const pgasi_dim_t once = {.count = 1, .dst = 0, .src = 0};
    const pgasi_dim_t *row = box->dims > 0 ? &box->dim[0] : &once;
    const pgasi_dim_t *column = box->dims > 1 ? &box->dim[1] : &once;
    bool local = dst.address != NULL && src.address != NULL;
    size_t index[PGASI_BOX_DIMS];
    for (size_t d = 2; d < box->dims; d++)
        index[d] = 0;
    bool streams = local && box->dims > 0 && pgasi_stream_pays(bytes_of(box), box->chunk);
    do {
        if (streams)
            stream_plane(dst.address, src.address, row, column, box->chunk);
        else if (local)
            local_plane(dst.address, src.address, row, column, box->chunk);
        else
            remote_plane(group, dst, src, row, column, box->chunk);
    } while (next_plane(box, index, &dst, &src));
    pgasi_relay_finish();
}
