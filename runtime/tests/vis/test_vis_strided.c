/**
 * Strided copies (fstrided, strided, 2-d, 3-d, transposed): random shapes in own, local, remote and
 * private memory against a model, what is counted, and the edge cases.
 */
#include "vis_rooms.h"

enum {
    STEPS = 200,
    MOST_LEVELS = 5
};

/* One side of a copy: its start, and the number of bytes that it covers. */
typedef struct side {
    spot_t spot;
    size_t strides[MOST_LEVELS + 1];
    ptrdiff_t steps[MOST_LEVELS + 1];
    size_t chunklen;
    size_t chunkcount;
} side_t;

static kind_t kind;
static form_t form;
static side_t dst;
static side_t src;
static size_t count[MOST_LEVELS + 2];
static size_t levels;

static pgas_ptr_t shared(const side_t *side)
{
    return rooms_ptr(side->spot);
}

static char *private_at(const side_t *side)
{
    return rooms_private + side->spot.offset;
}

static char *modelled(const side_t *side)
{
    return rooms_model_of(side->spot);
}

/* Finds a place in the rooms for a side, which begins `below` bytes after the lowest byte that it
 * covers. */
static void place(side_t *side, pgas_direction_t direction, size_t half, size_t below,
                  size_t extent, uint64_t *random)
{
    CHECK(extent <= ROOMS_HALF);
    size_t offset = half + random_below(random, ROOMS_HALF - extent + 1) + below;
    side->spot = (spot_t){rooms_owner(kind, direction, random), offset};
}

static void place_both(size_t dst_below, size_t dst_extent, size_t src_below, size_t src_extent,
                       uint64_t *random)
{
    size_t half = random_below(random, 2) * ROOMS_HALF;
    place(&dst, PGAS_TO, half, dst_below, dst_extent, random);
    place(&src, PGAS_FROM, ROOMS_HALF - half, src_below, src_extent, random);
}

static void begin(uint64_t *random)
{
    kind = (kind_t)random_below(random, KINDS);
    form = (form_t)random_below(random, FORMS);
}

static void begin_call(void)
{
    if (form == FORM_REGION)
        pgas_begin_accessregion();
}

static void end_call(pgas_handle_t handle, size_t nbytes, uint64_t *random)
{
    if (form == FORM_REGION)
        handle = pgas_end_accessregion();
    rooms_synchronise(form, handle, random);
    rooms_check();
    rooms_note(dst.spot, PGAS_TO, nbytes);
    rooms_note(src.spot, PGAS_FROM, nbytes);
    rooms_check_counts();
}

static pgas_handle_t call_fstrided(void)
{
#define DST dst.chunklen, dst.strides[0], dst.chunkcount
#define SRC src.chunklen, src.strides[0], src.chunkcount
    pgas_handle_t handle = PGAS_HANDLE_COMPLETE;
    if (kind == KIND_CPY && form == FORM_BLOCKING)
        pgas_memcpy_fstrided(shared(&dst), DST, shared(&src), SRC);
    else if (kind == KIND_CPY && form == FORM_ASYNC)
        handle = pgas_memcpy_fstrided_async(shared(&dst), DST, shared(&src), SRC);
    else if (kind == KIND_CPY)
        pgas_memcpy_fstrided_asynci(shared(&dst), DST, shared(&src), SRC);
    else if (kind == KIND_PUT && form == FORM_BLOCKING)
        pgas_memput_fstrided(shared(&dst), DST, private_at(&src), SRC);
    else if (kind == KIND_PUT && form == FORM_ASYNC)
        handle = pgas_memput_fstrided_async(shared(&dst), DST, private_at(&src), SRC);
    else if (kind == KIND_PUT)
        pgas_memput_fstrided_asynci(shared(&dst), DST, private_at(&src), SRC);
    else if (form == FORM_BLOCKING)
        pgas_memget_fstrided(private_at(&dst), DST, shared(&src), SRC);
    else if (form == FORM_ASYNC)
        handle = pgas_memget_fstrided_async(private_at(&dst), DST, shared(&src), SRC);
    else
        pgas_memget_fstrided_asynci(private_at(&dst), DST, shared(&src), SRC);
#undef DST
#undef SRC
    return handle;
}

static size_t random_chunk(uint64_t *random)
{
    static const size_t usual[] = {1, 2, 4, 8, 16, 32, 3, 24};
    return random_below(random, 4) == 0 ? 1 + random_below(random, 600)
                                        : usual[random_below(random, 8)];
}

/* Chunks whose sizes are multiples of each other, or of a third, or equal; contiguous sides too. */
static void check_fstrided(uint64_t *random)
{
    begin(random);
    size_t unit = random_chunk(random);
    size_t ratios[2] = {1, 1};
    if (random_below(random, 3) > 0)
        ratios[random_below(random, 2)] += random_below(random, 6);
    if (random_below(random, 3) == 0)
        ratios[random_below(random, 2)] += random_below(random, 6);
    size_t most = 20000 / (unit * ratios[0] * ratios[1]);
    size_t times = 1 + random_below(random, 1 + (most < 300 ? most : 300));
    size_t nbytes = unit * ratios[0] * ratios[1] * times;
    dst.chunklen = unit * ratios[0];
    src.chunklen = unit * ratios[1];
    size_t extents[2];
    for (int i = 0; i < 2; i++) {
        side_t *side = i == 0 ? &dst : &src;
        side->chunkcount = nbytes / side->chunklen;
        side->strides[0] =
            side->chunklen +
            (random_below(random, 3) == 0 ? 0 : random_below(random, 2 * side->chunklen + 1));
        extents[i] = (side->chunkcount - 1) * side->strides[0] + side->chunklen;
    }
    if (extents[0] > ROOMS_HALF || extents[1] > ROOMS_HALF)
        return;
    place_both(0, extents[0], 0, extents[1], random);
    for (size_t at = 0; at < nbytes; at++)
        modelled(&dst)[at / dst.chunklen * dst.strides[0] + at % dst.chunklen] =
            modelled(&src)[at / src.chunklen * src.strides[0] + at % src.chunklen];
    begin_call();
    end_call(call_fstrided(), nbytes, random);
}

/* Copies the chunks of dimensions 1 to `levels` in the model, from the outermost inwards. */
static void model_section(char *to, const char *from, const ptrdiff_t *to_steps,
                          const ptrdiff_t *from_steps, const size_t *counts, size_t dims,
                          size_t chunk)
{
    if (dims == 0) {
        for (size_t i = 0; i < chunk; i++)
            to[i] = from[i];
        return;
    }
    for (size_t i = 0; i < counts[dims - 1]; i++)
        model_section(to + (ptrdiff_t)i * to_steps[dims - 1],
                      from + (ptrdiff_t)i * from_steps[dims - 1], to_steps, from_steps, counts,
                      dims - 1, chunk);
}

/* Draws random strides of a section, often without gaps; returns the number of bytes that it
 * covers. */
static size_t random_strides(side_t *side, uint64_t *random)
{
    size_t extent = count[0];
    for (size_t i = 0; i < levels; i++) {
        size_t least = count[i] * (i == 0 ? 1 : side->strides[i - 1]);
        side->strides[i] = least + (random_below(random, 2) == 0 ? 0 : random_below(random, 40));
        side->steps[i] = (ptrdiff_t)side->strides[i];
        extent += (count[i + 1] - 1) * side->strides[i];
    }
    return extent;
}

static pgas_handle_t call_strided(void)
{
    pgas_handle_t handle = PGAS_HANDLE_COMPLETE;
    /* without levels there are no strides */
    const size_t *d = levels == 0 ? NULL : dst.strides;
    const size_t *s = levels == 0 ? NULL : src.strides;
    if (kind == KIND_CPY && form == FORM_BLOCKING)
        pgas_memcpy_strided(shared(&dst), d, shared(&src), s, count, levels);
    else if (kind == KIND_CPY && form == FORM_ASYNC)
        handle = pgas_memcpy_strided_async(shared(&dst), d, shared(&src), s, count, levels);
    else if (kind == KIND_CPY)
        pgas_memcpy_strided_asynci(shared(&dst), d, shared(&src), s, count, levels);
    else if (kind == KIND_PUT && form == FORM_BLOCKING)
        pgas_memput_strided(shared(&dst), d, private_at(&src), s, count, levels);
    else if (kind == KIND_PUT && form == FORM_ASYNC)
        handle = pgas_memput_strided_async(shared(&dst), d, private_at(&src), s, count, levels);
    else if (kind == KIND_PUT)
        pgas_memput_strided_asynci(shared(&dst), d, private_at(&src), s, count, levels);
    else if (form == FORM_BLOCKING)
        pgas_memget_strided(private_at(&dst), d, shared(&src), s, count, levels);
    else if (form == FORM_ASYNC)
        handle = pgas_memget_strided_async(private_at(&dst), d, shared(&src), s, count, levels);
    else
        pgas_memget_strided_asynci(private_at(&dst), d, shared(&src), s, count, levels);
    return handle;
}

static pgas_handle_t call_2d(void)
{
    pgas_handle_t handle = PGAS_HANDLE_COMPLETE;
    size_t d = dst.strides[0];
    size_t s = src.strides[0];
    size_t n = count[0];
    size_t rows = count[1];
    if (kind == KIND_CPY && form == FORM_BLOCKING)
        pgas_memcpy_2d(shared(&dst), d, shared(&src), s, n, rows);
    else if (kind == KIND_CPY && form == FORM_ASYNC)
        handle = pgas_memcpy_2d_async(shared(&dst), d, shared(&src), s, n, rows);
    else if (kind == KIND_CPY)
        pgas_memcpy_2d_asynci(shared(&dst), d, shared(&src), s, n, rows);
    else if (kind == KIND_PUT && form == FORM_BLOCKING)
        pgas_memput_2d(shared(&dst), d, private_at(&src), s, n, rows);
    else if (kind == KIND_PUT && form == FORM_ASYNC)
        handle = pgas_memput_2d_async(shared(&dst), d, private_at(&src), s, n, rows);
    else if (kind == KIND_PUT)
        pgas_memput_2d_asynci(shared(&dst), d, private_at(&src), s, n, rows);
    else if (form == FORM_BLOCKING)
        pgas_memget_2d(private_at(&dst), d, shared(&src), s, n, rows);
    else if (form == FORM_ASYNC)
        handle = pgas_memget_2d_async(private_at(&dst), d, shared(&src), s, n, rows);
    else
        pgas_memget_2d_asynci(private_at(&dst), d, shared(&src), s, n, rows);
    return handle;
}

static pgas_handle_t call_3d(void)
{
    pgas_handle_t handle = PGAS_HANDLE_COMPLETE;
#define DST dst.strides[0], dst.strides[1]
#define SRC src.strides[0], src.strides[1], count[0], count[1], count[2]
    if (kind == KIND_CPY && form == FORM_BLOCKING)
        pgas_memcpy_3d(shared(&dst), DST, shared(&src), SRC);
    else if (kind == KIND_CPY && form == FORM_ASYNC)
        handle = pgas_memcpy_3d_async(shared(&dst), DST, shared(&src), SRC);
    else if (kind == KIND_CPY)
        pgas_memcpy_3d_asynci(shared(&dst), DST, shared(&src), SRC);
    else if (kind == KIND_PUT && form == FORM_BLOCKING)
        pgas_memput_3d(shared(&dst), DST, private_at(&src), SRC);
    else if (kind == KIND_PUT && form == FORM_ASYNC)
        handle = pgas_memput_3d_async(shared(&dst), DST, private_at(&src), SRC);
    else if (kind == KIND_PUT)
        pgas_memput_3d_asynci(shared(&dst), DST, private_at(&src), SRC);
    else if (form == FORM_BLOCKING)
        pgas_memget_3d(private_at(&dst), DST, shared(&src), SRC);
    else if (form == FORM_ASYNC)
        handle = pgas_memget_3d_async(private_at(&dst), DST, shared(&src), SRC);
    else
        pgas_memget_3d_asynci(private_at(&dst), DST, shared(&src), SRC);
#undef DST
#undef SRC
    return handle;
}

/* The general function, or the wrapper for as many levels. */
static void check_strided(uint64_t *random)
{
    begin(random);
    levels = random_below(random, MOST_LEVELS + 1);
    size_t nbytes = count[0] = random_chunk(random);
    for (size_t i = 1; i <= levels; i++) {
        count[i] = 1 + random_below(random, i == 1 ? 40 : 6);
        nbytes *= count[i];
    }
    size_t dst_extent = random_strides(&dst, random);
    size_t src_extent = random_strides(&src, random);
    if (dst_extent > ROOMS_HALF || src_extent > ROOMS_HALF)
        return;
    place_both(0, dst_extent, 0, src_extent, random);
    model_section(modelled(&dst), modelled(&src), dst.steps, src.steps, count + 1, levels,
                  count[0]);
    bool wrapped = random_below(random, 2) == 0;
    begin_call();
    end_call(wrapped && levels == 1   ? call_2d()
             : wrapped && levels == 2 ? call_3d()
                                      : call_strided(),
             nbytes, random);
}

static pgas_handle_t call_transposed(size_t elem_size)
{
    pgas_handle_t handle = PGAS_HANDLE_COMPLETE;
    const ptrdiff_t *d = dst.steps;
    const ptrdiff_t *s = src.steps;
    size_t e = elem_size;
    if (kind == KIND_CPY && form == FORM_BLOCKING)
        pgas_memcpy_transposed(shared(&dst), d, shared(&src), s, e, count, levels);
    else if (kind == KIND_CPY && form == FORM_ASYNC)
        handle = pgas_memcpy_transposed_async(shared(&dst), d, shared(&src), s, e, count, levels);
    else if (kind == KIND_CPY)
        pgas_memcpy_transposed_asynci(shared(&dst), d, shared(&src), s, e, count, levels);
    else if (kind == KIND_PUT && form == FORM_BLOCKING)
        pgas_memput_transposed(shared(&dst), d, private_at(&src), s, e, count, levels);
    else if (kind == KIND_PUT && form == FORM_ASYNC)
        handle =
            pgas_memput_transposed_async(shared(&dst), d, private_at(&src), s, e, count, levels);
    else if (kind == KIND_PUT)
        pgas_memput_transposed_asynci(shared(&dst), d, private_at(&src), s, e, count, levels);
    else if (form == FORM_BLOCKING)
        pgas_memget_transposed(private_at(&dst), d, shared(&src), s, e, count, levels);
    else if (form == FORM_ASYNC)
        handle =
            pgas_memget_transposed_async(private_at(&dst), d, shared(&src), s, e, count, levels);
    else
        pgas_memget_transposed_asynci(private_at(&dst), d, shared(&src), s, e, count, levels);
    return handle;
}

/* Lays the dimensions out in a random order, each forwards or backwards; computes the number of
 * bytes that the side covers, and how many of them precede its first element. */
static size_t random_steps(side_t *side, size_t elem_size, bool may_repeat, size_t *below,
                           uint64_t *random)
{
    size_t order[MOST_LEVELS + 1] = {0};
    for (size_t i = 0; i < levels; i++) {
        size_t k = random_below(random, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    size_t extent = elem_size;
    *below = 0;
    for (size_t i = 0; i < levels; i++) {
        size_t d = order[i];
        size_t gap = random_below(random, 2) == 0 ? 0 : random_below(random, 20);
        size_t step = may_repeat && random_below(random, 10) == 0 ? 0 : extent + gap;
        bool backwards = random_below(random, 3) == 0;
        side->steps[d] = backwards ? -(ptrdiff_t)step : (ptrdiff_t)step;
        *below += backwards ? (count[d] - 1) * step : 0;
        extent += (count[d] - 1) * step;
    }
    return extent;
}

static void check_transposed(uint64_t *random)
{
    begin(random);
    size_t elem_size = random_chunk(random);
    size_t nbytes = elem_size;
    levels = random_below(random, MOST_LEVELS + 1);
    for (size_t i = 0; i < levels; i++) {
        count[i] = 1 + random_below(random, levels <= 2 ? 60 : 7);
        nbytes *= count[i];
    }
    size_t dst_below;
    size_t src_below;
    size_t dst_extent = random_steps(&dst, elem_size, false, &dst_below, random);
    size_t src_extent = random_steps(&src, elem_size, true, &src_below, random);
    if (dst_extent > ROOMS_HALF || src_extent > ROOMS_HALF)
        return;
    place_both(dst_below, dst_extent, src_below, src_extent, random);
    model_section(modelled(&dst), modelled(&src), dst.steps, src.steps, count, levels, elem_size);
    begin_call();
    end_call(call_transposed(elem_size), nbytes, random);
}

/* 1: products of 0, whatever the other arguments. */
static void test_fstrided_nothing(void)
{
    pgas_ptr_t null = pgas_ptr_null();
    pgas_memcpy_fstrided(null, 0, 0, 5, null, 8, 1, 0);
    pgas_memput_fstrided(null, 8, 0, 0, NULL, 0, 0, 0);
    pgas_memget_fstrided(NULL, 0, 7, 3, null, 0, 0, 4);
    CHECK(pgas_handle_is_complete(pgas_memget_fstrided_async(NULL, 1, 0, 0, null, 0, 0, 9)));
    pgas_memput_fstrided_asynci(null, 8, 0, 0, NULL, 0, 0, 0);
}

/* 2: any count of 0, whatever the other arguments. */
static void test_strided_nothing(void)
{
    pgas_ptr_t null = pgas_ptr_null();
    for (size_t zero = 0; zero < 4; zero++) {
        size_t counts[] = {8, 2, 3, 4};
        counts[zero] = 0;
        pgas_memcpy_strided(null, NULL, null, NULL, counts, 3);
        pgas_memput_strided(null, NULL, NULL, NULL, counts, 3);
        pgas_memget_strided(NULL, NULL, null, NULL, counts, 3);
        pgas_memcpy_transposed(null, NULL, null, NULL, 8, counts, 4);
        pgas_memput_transposed_asynci(null, NULL, NULL, NULL, 0, counts, 4);
    }
    size_t none = 0;
    pgas_memget_strided(NULL, NULL, null, NULL, &none, 0);
    pgas_memget_2d(NULL, 0, null, 0, 0, 5);
    pgas_memput_2d(null, 0, NULL, 0, 8, 0);
    pgas_memcpy_3d(null, 0, 0, null, 0, 0, 1, 2, 0);
    CHECK(pgas_handle_is_complete(pgas_memcpy_3d_async(null, 0, 0, null, 0, 0, 1, 0, 2)));
}

/* 3: none of these is counted. */
static void test_nothing_counted(void)
{
    rooms_check_counts();
}

/* 4: the document's example, a block of 2 x 3 x 4 from A[5][6][7] to B[8][9][10]. */
static void test_example(void)
{
    static double a[11][12][13];
    static double b[14][15][16];
    for (size_t i = 0; i < sizeof a / sizeof a[0][0][0]; i++)
        (&a[0][0][0])[i] = (double)i;
    pgas_ptr_t at = rooms_ptr((spot_t){pgas_threads() - 1, 0});
    CHECK(sizeof b <= ROOMS_SIZE);
    pgas_memset(at, 0, sizeof b);
    pgas_ptr_t to = at;
    to.offset += (uint64_t)((char *)&b[8][9][10] - (char *)b);
    size_t counts[] = {4 * sizeof(double), 3, 2};
    size_t srcstrides[] = {sizeof a[0][0], sizeof a[0]};
    size_t dststrides[] = {sizeof b[0][0], sizeof b[0]};
    pgas_memput_strided(to, dststrides, &a[5][6][7], srcstrides, counts, 2);
    pgas_memget(b, at, sizeof b);
    for (size_t i = 0; i < 14; i++)
        for (size_t j = 0; j < 15; j++)
            for (size_t k = 0; k < 16; k++) {
                bool inside = i >= 8 && i < 10 && j >= 9 && j < 12 && k >= 10 && k < 14;
                CHECK(b[i][j][k] == (inside ? a[i - 3][j - 3][k - 3] : 0.0));
            }
    memcpy(rooms_model_of((spot_t){pgas_threads() - 1, 0}), b, sizeof b);
}

/* 5: a matrix of every shape around the size of a tile, transposed and back. */
static void test_matrices(void)
{
    static int matrix[40][40];
    static int back[40][40];
    pgas_ptr_t at = rooms_ptr((spot_t){pgas_threads() - 1, 0});
    for (int i = 0; i < 40 * 40; i++)
        (&matrix[0][0])[i] = i;
    for (size_t rows = 1; rows <= 40; rows += 3)
        for (size_t columns = 1; columns <= 40; columns += 13) {
            size_t counts[] = {rows, columns};
            ptrdiff_t plain[] = {sizeof matrix[0], sizeof(int)};
            ptrdiff_t turned[] = {sizeof(int), (ptrdiff_t)(rows * sizeof(int))};
            memset(back, -1, sizeof back);
            pgas_memput_transposed(at, turned, matrix, plain, sizeof(int), counts, 2);
            pgas_memget_transposed(back, plain, at, turned, sizeof(int), counts, 2);
            for (size_t i = 0; i < 40; i++)
                for (size_t j = 0; j < 40; j++)
                    CHECK(back[i][j] == (i < rows && j < columns ? matrix[i][j] : -1));
            int second;
            at.offset += sizeof(int);
            pgas_memget(&second, at, sizeof second);
            at.offset -= sizeof(int);
            CHECK(second == (rows > 1 ? matrix[1][0] : columns > 1 ? matrix[0][1] : second));
        }
    pgas_memget(rooms_model_of((spot_t){pgas_threads() - 1, 0}), at, ROOMS_SIZE);
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    uint64_t random = random_seed_of_thread(random_seed_of_job());
    rooms_create(&random);
    pgas_stats_reset();
    test_fstrided_nothing();
    test_strided_nothing();
    test_nothing_counted();
    for (int step = 0; step < STEPS; step++) {
        check_fstrided(&random);
        check_strided(&random);
        check_transposed(&random);
    }
    test_example();
    test_matrices();
    rooms_destroy();
    pgas_finalize();
    return 0;
}
