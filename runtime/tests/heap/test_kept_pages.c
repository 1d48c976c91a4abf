/**
 * Which chunks of a heap keep their pages: pure functions, without a job.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "heap/kept_pages.h"

#define AT(number) ((uint64_t)(number)*PGASI_KEPT_CHUNK)
/* The list has room for four. */
#define MOST AT(4)

/* Frees of blocks that find no room. */
static void refuse(pgasi_kept_pages_t *kept, int times)
{
    for (int i = 0; i < times; i++)
        pgasi_kept_pages_add(kept, AT(100), AT(101), MOST);
}

/* For a block of one chunk at the begin of a free one. */
static uint32_t give_stale(pgasi_kept_pages_t *kept, uint64_t chunks[PGASI_KEPT_CHUNKS])
{
    return pgasi_kept_pages_give_stale(kept, AT(50) - 64, AT(60), AT(1), MOST, chunks);
}

static void test_room(void **state)
{
    (void)state;
    pgasi_kept_pages_t kept = {.count = 0};
    pgasi_kept_pages_add(&kept, AT(10), AT(15), MOST);
    assert_int_equal(kept.count, 4);
    assert_int_equal(kept.refused, 1);
    assert_true(pgasi_kept_pages_have(&kept, AT(13) + 5));
    assert_false(pgasi_kept_pages_have(&kept, AT(14)));
    pgasi_kept_pages_use(&kept, AT(11), AT(12) + PGASI_KEPT_CHUNK / 2);
    assert_int_equal(kept.count, 3);
    assert_false(pgasi_kept_pages_have(&kept, AT(11)));
    assert_true(pgasi_kept_pages_have(&kept, AT(12)));
}

/* The oldest goes first, and only after so many refusals. */
static void test_stale(void **state)
{
    (void)state;
    uint64_t chunks[PGASI_KEPT_CHUNKS];
    pgasi_kept_pages_t kept = {.count = 0};
    pgasi_kept_pages_add(&kept, AT(10), AT(13), MOST);
    pgasi_kept_pages_settle(&kept, AT(10), AT(13));
    refuse(&kept, 1);
    pgasi_kept_pages_use(&kept, AT(100), AT(101));
    pgasi_kept_pages_add(&kept, AT(20), AT(21), MOST);
    pgasi_kept_pages_settle(&kept, AT(20), AT(21));
    refuse(&kept, PGASI_KEPT_PATIENCE - 1);
    assert_int_equal(give_stale(&kept, chunks), 0);
    refuse(&kept, 1);
    assert_int_equal(give_stale(&kept, chunks), 1);
    assert_in_range(chunks[0], AT(10), AT(12));
    assert_int_equal(give_stale(&kept, chunks), 0); /* there is room now */
}

/* What is kept of a block that is not free yet does not give way, whichever of its chunks were
 * there before. */
static void test_settled(void **state)
{
    (void)state;
    uint64_t chunks[PGASI_KEPT_CHUNKS];
    pgasi_kept_pages_t kept = {.count = 0};
    pgasi_kept_pages_add(&kept, AT(12), AT(16), MOST);
    pgasi_kept_pages_settle(&kept, AT(12), AT(16));
    refuse(&kept, PGASI_KEPT_PATIENCE);
    pgasi_kept_pages_add(&kept, AT(11), AT(16), MOST);
    refuse(&kept, PGASI_KEPT_PATIENCE);
    assert_int_equal(give_stale(&kept, chunks), 0);
    pgasi_kept_pages_settle(&kept, AT(11), AT(16));
    assert_int_equal(give_stale(&kept, chunks), 0);
    refuse(&kept, PGASI_KEPT_PATIENCE);
    assert_int_equal(give_stale(&kept, chunks), 1);
}

/* The last chunks of the free block give way to those at its begin. */
static void test_way(void **state)
{
    (void)state;
    uint64_t chunks[PGASI_KEPT_CHUNKS];
    pgasi_kept_pages_t kept = {.count = 0};
    pgasi_kept_pages_add(&kept, AT(14), AT(18), MOST);
    assert_int_equal(
        pgasi_kept_pages_give_way(&kept, AT(10) - 64, AT(20), AT(2) + 64, MOST, chunks), 2);
    assert_int_equal(chunks[0], AT(17));
    assert_int_equal(chunks[1], AT(16));
    assert_int_equal(kept.count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_stale),
        cmocka_unit_test(test_settled),
        cmocka_unit_test(test_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
