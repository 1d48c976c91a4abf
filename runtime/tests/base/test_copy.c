/**
 * Copies, at all distances of two addresses within a page and of sizes around those at which they
 * are done in another way: the bytes that were asked for, and no others. And that they are done so
 * exactly where memcpy is slow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pgas/detail.h>

enum {
    PAGE = 4096,
    GUARD = 256,
    MOST = 1048576,
    ROOM = MOST + 4 * PAGE
};

static unsigned char *memory[2];

static unsigned char byte_of(size_t i)
{
    return (unsigned char)(i * 7 + i / 251);
}

static void check(size_t from, size_t to, size_t nbytes)
{
    unsigned char *dst = memory[1] + to;
    memset(dst - GUARD, 0xee, nbytes + 2 * (size_t)GUARD);
    pgasi_copy(dst, memory[0] + from, nbytes);
    assert_memory_equal(dst, memory[0] + from, nbytes);
    for (size_t i = 0; i < GUARD; i++) {
        assert_int_equal(dst[-1 - (ptrdiff_t)i], 0xee);
        assert_int_equal(dst[nbytes + i], 0xee);
    }
}

static void test_bytes(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2047, 2048, 2049, 2113, 2175, 2176, 2177, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t ahead = 0; ahead < 40; ahead++)
            for (size_t from = GUARD; from < GUARD + 32; from += 5)
                check(from, from + ahead, sizes[i]);
    for (size_t nbytes = MOST - 1; nbytes <= MOST + 1; nbytes++)
        check(GUARD, GUARD + 16, nbytes);
    for (size_t nbytes = PGASI_COPY_LONG - 1; nbytes <= MOST + 1; nbytes += 37449)
        for (size_t ahead = 0; ahead < 40; ahead += 8)
            check(GUARD + 8, GUARD + ahead, nbytes);
    check(GUARD, GUARD + 64, PGASI_COPY_LONG);
    check(GUARD, GUARD + 64, MOST);
}

static void test_where(void **state)
{
    (void)state;
#if defined(__x86_64__)
    const char *page = (const char *)memory[0];
    for (size_t ahead = 0; ahead < 2 * (size_t)PAGE; ahead++)
        assert_int_equal(pgasi_copy_crawls(page + PAGE + ahead, page, 2113),
                         ahead % PAGE > 0 && ahead % PAGE < 32);
    assert_true(pgasi_copy_crawls(page, page + PAGE - 16, 4000));
    assert_false(pgasi_copy_crawls(page, page + 16, 4000));
    assert_false(pgasi_copy_crawls(page + PAGE + 16, page, 2048));
    assert_true(pgasi_copy_crawls(page + PAGE + 16, page, MOST));
    assert_false(pgasi_copy_crawls(page + PAGE + 16, page, MOST + 1));
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_where),
    };
    for (int i = 0; i < 2; i++) {
        memory[i] = aligned_alloc(PAGE, ROOM);
        for (size_t j = 0; memory[i] != NULL && j < ROOM; j++)
            memory[i][j] = byte_of(j);
    }
    if (memory[0] == NULL || memory[1] == NULL)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(memory[0]);
    free(memory[1]);
    return failed;
}
