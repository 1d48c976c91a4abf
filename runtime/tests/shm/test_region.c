/**
 * The region allocator: random allocations and frees against a model.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "shm/region.h"

enum {
    BEGIN = 4096,
    END = 1 << 20,
    MOST_BLOCKS = 512,
    STEPS = 40000
};

typedef struct block {
    uint64_t offset;
    uint64_t nbytes;
    uint64_t taken;
    unsigned char fill;
} block_t;

static _Alignas(4096) char memory[END];

/* The block is found from its first byte to its last, and nothing before it. */
static void check_found(const pgasi_region_t *region, const block_t *block)
{
    const uint64_t inside[] = {0, block->nbytes / 2, block->nbytes - 1};
    uint64_t begin;
    uint64_t end;
    for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++) {
        assert_true(pgasi_region_find(region, memory, block->offset + inside[i], &begin, &end));
        assert_int_equal(begin, block->offset);
        assert_int_equal(end - begin, block->taken - PGASI_REGION_UNIT);
    }
    assert_false(pgasi_region_find(region, memory, block->offset - 1, &begin, &end));
}

static void free_block(pgasi_region_t *region, const block_t *block)
{
    uint64_t taken = 0;
    uint64_t begin;
    uint64_t end;
    assert_true(pgasi_region_owns(region, memory, block->offset));
    check_found(region, block);
    for (uint64_t i = 0; i < block->nbytes; i++)
        if ((unsigned char)memory[block->offset + i] != block->fill)
            fail_msg("byte %zu of a block has changed", (size_t)i);
    if (block->fill % 2 == 0) {
        assert_true(pgasi_region_retire(region, memory, block->offset, &taken));
        assert_int_equal(taken, block->taken);
        assert_false(pgasi_region_retire(region, memory, block->offset, &taken));
    }
    pgasi_region_free(region, memory, block->offset, &taken);
    assert_int_equal(taken, block->taken);
    assert_false(pgasi_region_owns(region, memory, block->offset));
    assert_false(pgasi_region_find(region, memory, block->offset, &begin, &end));
}

static void check_new(const block_t *blocks, size_t count, const block_t *fresh, uint64_t alignment)
{
    assert_int_equal(fresh->offset % alignment, 0);
    assert_true(fresh->offset >= BEGIN + PGASI_REGION_UNIT);
    assert_true(fresh->offset + fresh->nbytes <= END);
    assert_true(fresh->taken >= fresh->nbytes + PGASI_REGION_UNIT);
    assert_int_equal(fresh->taken, pgasi_region_cost(fresh->nbytes));
    for (size_t i = 0; i < count; i++)
        assert_true(fresh->offset + fresh->nbytes <= blocks[i].offset ||
                    blocks[i].offset + blocks[i].nbytes <= fresh->offset);
}

/* There is one free block again: the whole range except one tag can be allocated, and nothing
 * besides. */
static void check_whole(pgasi_region_t *region)
{
    uint64_t whole = END - BEGIN - PGASI_REGION_UNIT;
    uint64_t taken;
    assert_int_equal(pgasi_region_alloc(region, memory, whole + 1, PGASI_REGION_UNIT, &taken), 0);
    uint64_t offset = pgasi_region_alloc(region, memory, whole, PGASI_REGION_UNIT, &taken);
    assert_int_equal(offset, BEGIN + PGASI_REGION_UNIT);
    assert_int_equal(taken, END - BEGIN);
    uint64_t other;
    assert_int_equal(pgasi_region_alloc(region, memory, 1, PGASI_REGION_UNIT, &other), 0);
    pgasi_region_free(region, memory, offset, &taken);
}

static void test_random(void **state)
{
    (void)state;
    static block_t blocks[MOST_BLOCKS];
    size_t count = 0;
    size_t refused = 0;
    uint64_t used = 0;
    uint64_t random = random_seed();
    pgasi_region_t region;
    pgasi_region_init(&region, memory, BEGIN, END);
    for (int step = 0; step < STEPS; step++) {
        if (count == MOST_BLOCKS || (count > 0 && random_below(&random, 2) == 0)) {
            size_t victim = random_below(&random, count);
            free_block(&region, &blocks[victim]);
            used -= blocks[victim].taken;
            blocks[victim] = blocks[--count];
            continue;
        }
        block_t fresh = {.nbytes = 1 + random_size(&random, END / 8), .fill = (unsigned char)step};
        uint64_t alignment = PGASI_REGION_UNIT << random_below(&random, 7);
        fresh.offset = pgasi_region_alloc(&region, memory, fresh.nbytes, alignment, &fresh.taken);
        if (fresh.offset == 0) {
            refused++;
            continue;
        }
        check_new(blocks, count, &fresh, alignment);
        memset(memory + fresh.offset, fresh.fill, fresh.nbytes);
        used += fresh.taken;
        assert_true(used <= END - BEGIN);
        blocks[count++] = fresh;
    }
    printf("%zu blocks left, %zu allocations refused\n", count, refused);
    while (count > 0)
        free_block(&region, &blocks[--count]);
    check_whole(&region);
}

static void test_exhaustion(void **state)
{
    (void)state;
    enum {
        UNITS = (END - BEGIN) / 128
    };
    static uint64_t offsets[UNITS];
    pgasi_region_t region;
    uint64_t taken;
    uint64_t random = random_seed();
    pgasi_region_init(&region, memory, BEGIN, END);
    for (size_t i = 0; i < UNITS; i++)
        offsets[i] = pgasi_region_alloc(&region, memory, 1, PGASI_REGION_UNIT, &taken);
    assert_int_not_equal(offsets[UNITS - 1], 0);
    assert_int_equal(pgasi_region_alloc(&region, memory, 1, PGASI_REGION_UNIT, &taken), 0);
    /* Freed in random order, every merge of neighbours happens. */
    for (size_t left = UNITS; left > 0; left--) {
        size_t victim = random_below(&random, left);
        pgasi_region_free(&region, memory, offsets[victim], &taken);
        offsets[victim] = offsets[left - 1];
    }
    check_whole(&region);
}

/* Many blocks of the right bin are a little too small. The one behind them that fits is taken only
 * where there is no larger block. */
static void test_looks_at_few(void **state)
{
    (void)state;
    enum {
        SMALL = 100,
        REQUEST = 1024
    };
    uint64_t small[2 * SMALL];
    uint64_t taken;
    uint64_t wall;
    pgasi_region_t region;
    pgasi_region_init(&region, memory, BEGIN, END);
    uint64_t behind = pgasi_region_alloc(&region, memory, REQUEST, PGASI_REGION_UNIT, &taken);
    wall = pgasi_region_alloc(&region, memory, 1, PGASI_REGION_UNIT, &taken);
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
        small[i] = pgasi_region_alloc(&region, memory, REQUEST - PGASI_REGION_UNIT,
                                      PGASI_REGION_UNIT, &taken);
    pgasi_region_free(&region, memory, behind, &taken);
    for (size_t i = 0; i < SMALL; i++)
        pgasi_region_free(&region, memory, small[2 * i], &taken);
    uint64_t split = pgasi_region_alloc(&region, memory, REQUEST, PGASI_REGION_UNIT, &taken);
    assert_true(split > small[2 * SMALL - 1]);
    uint64_t rest = END - (split + REQUEST) - PGASI_REGION_UNIT;
    uint64_t last = pgasi_region_alloc(&region, memory, rest, PGASI_REGION_UNIT, &taken);
    assert_int_equal(last, END - rest);
    assert_int_equal(pgasi_region_alloc(&region, memory, REQUEST, PGASI_REGION_UNIT, &taken),
                     behind);
    const uint64_t ends[] = {behind, wall, split, last};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        pgasi_region_free(&region, memory, ends[i], &taken);
    for (size_t i = 0; i < SMALL; i++)
        pgasi_region_free(&region, memory, small[2 * i + 1], &taken);
    check_whole(&region);
}

static void test_sizes_no_region_has(void **state)
{
    (void)state;
    pgasi_region_t region;
    uint64_t taken;
    pgasi_region_init(&region, memory, BEGIN, END);
    static const uint64_t sizes[] = {END - BEGIN, UINT64_MAX, UINT64_MAX - 63, UINT64_MAX / 2 + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        assert_int_equal(pgasi_region_alloc(&region, memory, sizes[i], PGASI_REGION_UNIT, &taken),
                         0);
    for (uint64_t less = 0; less < 2 * PGASI_REGION_UNIT - 1; less++)
        assert_int_equal(pgasi_region_cost(UINT64_MAX - less), UINT64_MAX);
    uint64_t largest = UINT64_MAX - (2 * PGASI_REGION_UNIT - 1);
    assert_int_equal(pgasi_region_cost(largest), largest + PGASI_REGION_UNIT);
    assert_int_equal(pgasi_region_alloc(&region, memory, 1, END, &taken), 0);
    check_whole(&region);
}

static void test_owns_only_what_it_gave(void **state)
{
    (void)state;
    pgasi_region_t region;
    uint64_t taken;
    memset(memory, 0, sizeof memory);
    pgasi_region_init(&region, memory, BEGIN, END);
    uint64_t a = pgasi_region_alloc(&region, memory, 1000, PGASI_REGION_UNIT, &taken);
    uint64_t b = pgasi_region_alloc(&region, memory, 1000, PGASI_REGION_UNIT, &taken);
    for (uint64_t offset = 0; offset < END + 4096; offset++)
        assert_true(pgasi_region_owns(&region, memory, offset) == (offset == a || offset == b));
    /* A freed block is still not owned when it has been merged with the one before or after it. */
    pgasi_region_free(&region, memory, a, &taken);
    pgasi_region_free(&region, memory, b, &taken);
    for (uint64_t offset = 0; offset < END + 4096; offset++)
        assert_false(pgasi_region_owns(&region, memory, offset));
    check_whole(&region);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_exhaustion),
        cmocka_unit_test(test_looks_at_few),
        cmocka_unit_test(test_sizes_no_region_has),
        cmocka_unit_test(test_owns_only_what_it_gave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
