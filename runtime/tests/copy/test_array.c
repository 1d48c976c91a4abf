/**
 * Block-cyclic arrays: value access for several types and layouts, owned parts, shared-out loops.
 */
#include <string.h>

#include "check.h"

typedef struct triple {
    double x;
    double y;
    long z;
} triple_t;

static const size_t counts[] = {1, 2, 5, 64, 100, 257};
static const size_t blocks[] = {PGAS_BLOCK_EVEN, 1, 2, 3, 7, 8, 64, 300};

enum {
    COUNTS = sizeof counts / sizeof counts[0],
    BLOCKS = sizeof blocks / sizeof blocks[0]
};

static char char_of(size_t i)
{
    return (char)(i % 101);
}

static int int_of(size_t i)
{
    return (int)i * -7;
}

static double double_of(size_t i)
{
    return (double)i + 0.25;
}

static triple_t triple_of(size_t i)
{
    return (triple_t){(double)i, -(double)i, (long)i * 1000};
}

static bool triple_equal(triple_t a, triple_t b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Each thread writes the elements that follow its number, whoever owns them, and reads all. */
#define CHECK_TYPE(type, value_of, equal) \
    do { \
        pgas_array_t array; \
        CHECK(pgas_array_create(count, sizeof(type), block, &array) == PGAS_OK); \
        PGAS_FORALL (i, 0, count, i + 1) \
            PGAS_PUT(type, &array, i, value_of(i)); \
        pgas_barrier(); \
        for (size_t i = 0; i < count; i++) \
            CHECK(equal(PGAS_GET(type, &array, i), value_of(i))); \
        const type *mine = pgas_array_mine(&array); \
        size_t turn = 0; \
        PGAS_FORALL (i, 0, count, pgas_array_at(&array, i)) { \
            CHECK(equal(mine[turn], value_of(i))); \
            turn++; \
        } \
        CHECK(turn == pgas_array_owned(&array, pgas_mythread())); \
        PGAS_FORBLOCKS (b, &array) { \
            const type *first = b.first; \
            CHECK(b.end - b.begin <= array.block); \
            for (size_t i = b.begin; i < b.end; i++) { \
                CHECK(pgas_array_owner(&array, i) == pgas_mythread()); \
                CHECK(equal(first[i - b.begin], value_of(i))); \
            } \
            turn -= b.end - b.begin; \
        } \
        CHECK(turn == 0); \
        pgas_array_free(&array); \
    } while (0)

#define SAME(a, b) ((a) == (b))

static void check_types(size_t count, size_t block)
{
    CHECK_TYPE(char, char_of, SAME);
    CHECK_TYPE(int, int_of, SAME);
    CHECK_TYPE(double, double_of, SAME);
    CHECK_TYPE(triple_t, triple_of, triple_equal);
}

static void check_owned(size_t count, size_t block)
{
    pgas_array_t array;
    CHECK(pgas_array_create(count, 1, block, &array) == PGAS_OK);
    CHECK(array.count == count && array.elem_size == 1);
    size_t threads = (size_t)pgas_threads();
    CHECK(array.block == (block != PGAS_BLOCK_EVEN ? block : (count + threads - 1) / threads));
    for (int thread = 0; thread < pgas_threads(); thread++) {
        size_t owned = 0;
        size_t owned_blocks = 0;
        for (size_t i = 0; i < count; i++) {
            bool is_owner = pgas_array_owner(&array, i) == thread;
            owned += is_owner;
            owned_blocks += is_owner && i % array.block == 0;
        }
        CHECK(pgas_array_owned(&array, thread) == owned);
        CHECK(pgas_array_owned_blocks(&array, thread) == owned_blocks);
    }
    pgas_array_free(&array);
}

/* Every iteration runs once, on the right thread, whatever kind of affinity the loop has. */
static void check_forall(size_t count, size_t block)
{
    pgas_array_t by_number;
    pgas_array_t by_pointer;
    CHECK(pgas_array_create(count, sizeof(int), block, &by_number) == PGAS_OK);
    CHECK(pgas_array_create(count, sizeof(int), block, &by_pointer) == PGAS_OK);
    PGAS_FORALL (i, 0, count, pgas_array_at(&by_number, i)) {
        PGAS_PUT(int, &by_number, i, 0);
        PGAS_PUT(int, &by_pointer, i, 0);
    }
    pgas_barrier();
    PGAS_FORALL (i, 0, count, i) {
        CHECK(i % (size_t)pgas_threads() == (size_t)pgas_mythread());
        PGAS_PUT(int, &by_number, i, PGAS_GET(int, &by_number, i) + 1);
    }
    PGAS_FORALL (i, 0, count, pgas_array_at(&by_pointer, i)) {
        CHECK(pgas_array_owner(&by_pointer, i) == pgas_mythread());
        PGAS_PUT(int, &by_pointer, i, PGAS_GET(int, &by_pointer, i) + 1);
    }
    pgas_barrier();
    for (size_t i = 0; i < count; i++) {
        CHECK(PGAS_GET(int, &by_number, i) == 1);
        CHECK(PGAS_GET(int, &by_pointer, i) == 1);
    }
    pgas_array_free(&by_number);
    pgas_array_free(&by_pointer);
}

/* The loop is one statement: the else belongs to the if outside. */
static void check_forall_in_if(void)
{
    for (int with = 0; with < 2; with++) {
        size_t turns = 0;
        bool otherwise = false;
        if (with == 1)
            PGAS_FORALL (i, 3, 3 + 5 * (size_t)pgas_threads(), i)
                turns++;
        else
            otherwise = true;
        CHECK(turns == (with == 1 ? 5 : 0));
        CHECK(otherwise == (with == 0));
    }
}

static void check_nesting(void)
{
    size_t count = 50;
    pgas_array_t to;
    pgas_array_t value;
    CHECK(pgas_array_create(count, sizeof(int), 3, &to) == PGAS_OK);
    CHECK(pgas_array_create(count, sizeof(double), 4, &value) == PGAS_OK);
    PGAS_FORALL (i, 0, count, pgas_array_at(&to, i))
        PGAS_PUT(int, &to, i, (int)((i * 7 + 3) % count));
    PGAS_FORALL (i, 0, count, pgas_array_at(&value, i))
        PGAS_PUT(double, &value, i, double_of(i));
    pgas_barrier();
    for (size_t i = 0; i < count; i++) {
        double got =
            PGAS_GET(double, &value, (size_t)PGAS_GET(int, &to, (size_t)PGAS_GET(int, &to, i)));
        CHECK(got == double_of(((i * 7 + 3) % count * 7 + 3) % count));
    }
    pgas_barrier();
    PGAS_FORALL (i, 0, count, i)
        PGAS_PUT(double, &value, (size_t)PGAS_GET(int, &to, i),
                 PGAS_GET(int, &to, i) > 25 ? 1.0 : 2.0);
    pgas_barrier();
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += PGAS_GET(double, &value, i) * PGAS_READ(double, pgas_array_at(&value, i));
    CHECK(sum == 24 * 1.0 + 26 * 4.0);
    pgas_array_free(&to);
    pgas_array_free(&value);
}

static int evaluations;

static size_t index_counted(size_t i)
{
    evaluations++;
    return i;
}

static const pgas_array_t *array_counted(const pgas_array_t *array)
{
    evaluations++;
    return array;
}

static pgas_ptr_t ptr_counted(pgas_ptr_t ptr)
{
    evaluations++;
    return ptr;
}

static long value_counted(long value)
{
    evaluations++;
    return value;
}

static void check_single_evaluation(void)
{
    size_t threads = (size_t)pgas_threads();
    pgas_array_t array;
    CHECK(pgas_array_create(threads, sizeof(long), 1, &array) == PGAS_OK);
    size_t at = ((size_t)pgas_mythread() + 1) % threads;
    PGAS_PUT(long, array_counted(&array), index_counted(at), value_counted(5));
    CHECK(evaluations == 3);
    CHECK(PGAS_GET(long, array_counted(&array), index_counted(at)) == 5);
    CHECK(evaluations == 5);
    PGAS_WRITE(long, ptr_counted(pgas_array_at(&array, at)), value_counted(6));
    CHECK(evaluations == 7);
    CHECK(PGAS_READ(long, ptr_counted(pgas_array_at(&array, at))) == 6);
    CHECK(evaluations == 8);
    size_t turns = 0;
    PGAS_FORALL (i, 0, threads, index_counted(i))
        turns++;
    CHECK(turns == 1 && evaluations == 8 + (int)threads);
    PGAS_FORALL (i, 0, 3 * threads, (int)i - 2 * (int)threads)
        CHECK(i % threads == (size_t)pgas_mythread());
    pgas_array_free(&array);
}

/* A block of 32 GiB, of which the elements take 64 bytes. */
static void check_short_block(void)
{
    pgas_array_t array;
    CHECK(pgas_array_create(8, 8, UINT32_MAX, &array) == PGAS_OK);
    CHECK(pgas_array_owned(&array, 0) == 8 && pgas_array_owner(&array, 7) == 0);
    pgas_array_free(&array);
}

static void check_refusals(void)
{
    pgas_array_t array;
    memset(&array, 0x5a, sizeof array);
    pgas_array_t untouched = array;
    CHECK(pgas_array_create(0, 8, 1, &array) == PGAS_ERR_ARGUMENT);
    CHECK(pgas_array_create(8, 0, 1, &array) == PGAS_ERR_ARGUMENT);
    CHECK(pgas_array_create(8, 8, (size_t)UINT32_MAX + 1, &array) == PGAS_ERR_ARGUMENT);
    CHECK(pgas_array_create(SIZE_MAX, 8, 1, &array) == PGAS_ERR_ARGUMENT);
    CHECK(pgas_array_create(SIZE_MAX / 4, 8, 1, &array) == PGAS_ERR_ARGUMENT);
    CHECK(pgas_array_create(8, SIZE_MAX / 4, 8, &array) == PGAS_ERR_ARGUMENT);
    CHECK(pgas_array_create((size_t)1 << 50, 8, 1, &array) == PGAS_ERR_NO_MEMORY);
    CHECK(array.count == untouched.count && array.block == untouched.block);
    CHECK(array.elem_size == untouched.elem_size && array.offset == untouched.offset);
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    for (size_t c = 0; c < COUNTS; c++)
        for (size_t b = 0; b < BLOCKS; b++) {
            check_types(counts[c], blocks[b]);
            check_owned(counts[c], blocks[b]);
            check_forall(counts[c], blocks[b]);
        }
    check_forall_in_if();
    check_nesting();
    check_single_evaluation();
    check_short_block();
    check_refusals();
    pgas_finalize();
    return 0;
}
