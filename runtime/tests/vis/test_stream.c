/* Copies past the caches: every alignment, and every length around that of a cache line. */
#include "vis/nontemporal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
    SIZE = 512
};

static void test_every_alignment(void **state)
{
    (void)state;
    static char from[SIZE];
    static char to[SIZE];
    static char expected[SIZE];
    for (size_t i = 0; i < SIZE; i++)
        from[i] = (char)(i * 7 + 1);
    for (size_t dst = 0; dst < 65; dst++)
        for (size_t src = 0; src < 18; src++)
            for (size_t nbytes = 0; nbytes <= 300; nbytes++) {
                memset(to, 0x55, SIZE);
                memset(expected, 0x55, SIZE);
                memcpy(expected + dst, from + src, nbytes);
                pgasi_stream(to + dst, from + src, nbytes);
                pgasi_stream_finish();
                assert_memory_equal(to, expected, SIZE);
            }
}

static void test_when_it_pays(void **state)
{
    (void)state;
    assert_false(pgasi_stream_pays((size_t)1 << 12, 1 << 12));
    assert_false(pgasi_stream_pays((size_t)1 << 50, 8));
#ifdef __SSE2__
    assert_true(pgasi_stream_pays((size_t)1 << 50, 1 << 12));
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_alignment),
        cmocka_unit_test(test_when_it_pays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
