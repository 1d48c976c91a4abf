/**
 * Long strided copies: strided runs of chunks of all sizes, from single bytes to more than a
 * message or a buffer holds, with several targets at once, forwards and backwards, against a plain
 * model.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"

/* Every thread's segment has a room for each thread, which only that thread uses. */
enum {
    ROOM = 700000,
    MOST_THREADS = 16,
    LARGE = 8 << 20
};

/* The sizes at which chunks are copied in another way, with their neighbours. */
static const size_t sizes[] = {1,    3,    4,     8,     16,    24,    255,   256,   257,
                               1000, 8191, 16376, 16383, 16384, 16385, 98304, 300000};

static pgas_ptr_t rooms;
static pgas_ptr_t large;
static char *model[MOST_THREADS];
static char *found;
static char *local[MOST_THREADS];

static size_t threads(void)
{
    size_t count = (size_t)pgas_threads();
    CHECK(count > 0);
    return count;
}

static pgas_ptr_t in_room(size_t owner, size_t offset)
{
    pgas_ptr_t ptr = rooms;
    ptr.thread = (uint32_t)owner;
    ptr.offset += (uint64_t)pgas_mythread() * ROOM + offset;
    return ptr;
}

static void fill(char *bytes, size_t nbytes, uint64_t *random)
{
    uint64_t state = random_next(random);
    for (size_t i = 0; i < nbytes; i++)
        bytes[i] = (char)((state = state * 6364136223846793005U + 1) >> 56);
}

static void check_rooms(void)
{
    for (size_t owner = 0; owner < threads(); owner++) {
        pgas_memget(found, in_room(owner, 0), ROOM);
        CHECK(memcmp(found, model[owner], ROOM) == 0);
    }
}

/* Random chunks within `nbytes` bytes. */
typedef struct shape {
    size_t chunk;
    size_t stride;
    size_t count;
    size_t first;
} shape_t;

static shape_t random_shape(size_t chunk, size_t nbytes, uint64_t *random)
{
    shape_t shape = {.chunk = chunk};
    shape.stride = chunk + 1 + random_below(random, chunk < 40 ? 70 : chunk < 20000 ? chunk : 100);
    size_t most = (nbytes - chunk) / shape.stride + 1;
    shape.count = most < 20000 ? most : 20000;
    shape.first = random_below(random, nbytes - (shape.count - 1) * shape.stride - chunk + 1);
    return shape;
}

static void model_copy(char *dst, ptrdiff_t dst_step, const char *src, ptrdiff_t src_step,
                       shape_t shape)
{
    for (size_t i = 0; i < shape.count; i++)
        memcpy(dst + (ptrdiff_t)i * dst_step, src + (ptrdiff_t)i * src_step, shape.chunk);
}

/* 1: packed memory to runs at all threads at once. */
static void test_puts(size_t chunk, uint64_t *random)
{
    pgas_handle_t handles[MOST_THREADS];
    for (size_t owner = 0; owner < threads(); owner++) {
        shape_t s = random_shape(chunk, ROOM, random);
        fill(local[owner], s.count * chunk, random);
        model_copy(model[owner] + s.first, (ptrdiff_t)s.stride, local[owner], (ptrdiff_t)chunk, s);
        handles[owner] = pgas_memput_fstrided_async(in_room(owner, s.first), chunk, s.stride,
                                                    s.count, local[owner], chunk, chunk, s.count);
    }
    pgas_waitsync_all(handles, threads());
    check_rooms();
}

/* 2: runs at all threads at once to runs of private memory, whose gaps stay as they are. */
static void test_gets(size_t chunk, uint64_t *random)
{
    static shape_t shapes[MOST_THREADS];
    static size_t strides[MOST_THREADS];
    for (size_t owner = 0; owner < threads(); owner++) {
        shape_t s = random_shape(chunk, ROOM, random);
        const size_t counts[] = {chunk, s.count};
        strides[owner] = (s.count - 1) * (s.stride + 1) + chunk > ROOM ? s.stride : s.stride + 1;
        memset(local[owner], 0x5a, ROOM);
        pgas_memget_strided_asynci(local[owner], &strides[owner], in_room(owner, s.first),
                                   &s.stride, counts, 1);
        shapes[owner] = s;
    }
    pgas_waitsynci();
    for (size_t owner = 0; owner < threads(); owner++) {
        shape_t s = shapes[owner];
        memset(found, 0x5a, ROOM);
        model_copy(found, (ptrdiff_t)strides[owner], model[owner] + s.first, (ptrdiff_t)s.stride,
                   s);
        CHECK(memcmp(found, local[owner], ROOM) == 0);
    }
}

/* 3: backwards: a run descends from its first chunk. */
static void test_backwards(size_t chunk, uint64_t *random)
{
    size_t owner = random_below(random, threads());
    shape_t s = random_shape(chunk, ROOM, random);
    size_t last = s.first + (s.count - 1) * s.stride;
    ptrdiff_t down = -(ptrdiff_t)s.stride;
    ptrdiff_t up = (ptrdiff_t)chunk;
    pgas_memget_transposed(local[0], &up, in_room(owner, last), &down, chunk, &s.count, 1);
    model_copy(found, up, model[owner] + last, down, s);
    CHECK(memcmp(found, local[0], s.count * chunk) == 0);
    fill(local[0], s.count * chunk, random);
    pgas_memput_transposed(in_room(owner, last), &down, local[0], &up, chunk, &s.count, 1);
    model_copy(model[owner] + last, down, local[0], up, s);
    check_rooms();
}

/* 4: from any thread to any other one. */
static void test_copies(size_t chunk, uint64_t *random)
{
    size_t from = random_below(random, threads());
    size_t to = random_below(random, threads());
    shape_t s = random_shape(chunk, ROOM / 2, random);
    size_t half = random_below(random, 2) * (ROOM / 2);
    size_t src = ROOM / 2 - half;
    pgas_memcpy_fstrided(in_room(to, half + s.first), chunk, s.stride, s.count, in_room(from, src),
                         chunk, s.stride, s.count);
    model_copy(model[to] + half + s.first, (ptrdiff_t)s.stride, model[from] + src,
               (ptrdiff_t)s.stride, s);
    check_rooms();
}

/* 5: planes whose rows are shorter than their columns, and the other way round. */
static void test_planes(uint64_t *random)
{
    for (size_t rows = 2; rows <= 2000; rows = rows * 7 + 1)
        for (size_t columns = 2; columns * rows * 20 <= ROOM / 2; columns = columns * 5 + 1) {
            size_t owner = random_below(random, threads());
            size_t counts[] = {8, columns, rows};
            size_t strides[] = {20, columns * 20 + 4};
            size_t packed[] = {8, columns * 8};
            fill(local[0], rows * columns * 8, random);
            pgas_memput_strided(in_room(owner, 4), strides, local[0], packed, counts, 2);
            for (size_t i = 0; i < rows; i++)
                for (size_t k = 0; k < columns; k++)
                    memcpy(model[owner] + 4 + i * strides[1] + k * 20,
                           local[0] + (i * columns + k) * 8, 8);
            pgas_memget_strided(local[1], packed, in_room(owner, 4), strides, counts, 2);
            CHECK(memcmp(local[0], local[1], rows * columns * 8) == 0);
        }
    check_rooms();
}

/* 6: more than may be in flight at a time, in both directions, while the others do the same. */
static void test_large(uint64_t *random)
{
    enum {
        CHUNK = 1000,
        STRIDE = 1024,
        COUNT = LARGE / STRIDE
    };
    char *out = malloc((size_t)CHUNK * COUNT);
    char *back = malloc((size_t)CHUNK * COUNT);
    CHECK(out != NULL && back != NULL);
    fill(out, (size_t)CHUNK * COUNT, random);
    pgas_ptr_t at = large;
    at.thread = (uint32_t)(((size_t)pgas_mythread() + 1) % threads());
    pgas_memput_fstrided(at, CHUNK, STRIDE, COUNT, out, CHUNK, CHUNK, COUNT);
    pgas_memget_fstrided(back, CHUNK, CHUNK, COUNT, at, CHUNK, STRIDE, COUNT);
    CHECK(memcmp(out, back, (size_t)CHUNK * COUNT) == 0);
    free(out);
    free(back);
}

static void create(uint64_t *random)
{
    CHECK(threads() <= MOST_THREADS);
    CHECK(pgas_all_alloc(threads(), threads() * ROOM, &rooms) == PGAS_OK);
    CHECK(pgas_all_alloc(threads(), LARGE, &large) == PGAS_OK);
    found = malloc(ROOM);
    CHECK(found != NULL);
    for (size_t i = 0; i < threads() || i < 2; i++) {
        local[i] = malloc(ROOM);
        model[i] = malloc(ROOM);
        CHECK(local[i] != NULL && model[i] != NULL);
        fill(model[i], ROOM, random);
        if (i < threads())
            pgas_memput(in_room(i, 0), model[i], ROOM);
    }
}

static void destroy(void)
{
    pgas_barrier();
    pgas_all_free(rooms);
    pgas_all_free(large);
    free(found);
    for (size_t i = 0; i < MOST_THREADS; i++) {
        free(local[i]);
        free(model[i]);
    }
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    uint64_t random = random_seed_of_thread(random_seed_of_job());
    create(&random);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        test_puts(sizes[i], &random);
        test_gets(sizes[i], &random);
        test_backwards(sizes[i], &random);
        test_copies(sizes[i], &random);
    }
    test_planes(&random);
    test_large(&random);
    destroy();
    pgas_finalize();
    return 0;
}
