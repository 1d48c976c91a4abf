/**
 * Lists of ranks as a launcher writes them: read whole, or refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "boot/ranks.h"

static void check(const char *text, uint32_t limit, uint32_t count, const uint32_t *expected)
{
    uint32_t *ranks;
    uint32_t found;
    assert_int_equal(pgasi_ranks_parse(text, limit, &ranks, &found), PGAS_OK);
    assert_int_equal(found, count);
    assert_memory_equal(ranks, expected, count * sizeof *ranks);
    free(ranks);
}

static void reads_lists(void **state)
{
    (void)state;
    check("0", 1, 1, (uint32_t[]){0});
    check("3,0,2", 4, 3, (uint32_t[]){0, 2, 3});
    check("0-1,4,6-7", 8, 5, (uint32_t[]){0, 1, 4, 6, 7});
    check("5-5", 6, 1, (uint32_t[]){5});
    check("007", 8, 1, (uint32_t[]){7});
}

static void refuses_the_rest(void **state)
{
    (void)state;
    const char *odd[] = {
        NULL,
        "",
        " ",
        "a",
        ",",
        "0,",
        ",0",
        "0,,1",
        "0 ",
        "0;1",
        "-1",
        "0-",
        "2-1",
        "0-1-2",
        "1,1",
        "0-2,1",
        "4",
        "0-4",
        "4294967296",
        "18446744073709551616",
        "0-4294967295",
        "18446744073709551617-2",
        "+1",
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        uint32_t *ranks;
        uint32_t found;
        if (pgasi_ranks_parse(odd[i], 4, &ranks, &found) != PGAS_ERR_SYSTEM || ranks != NULL)
            fail_msg("'%s' is read", odd[i] != NULL ? odd[i] : "NULL");
    }
    uint32_t *ranks;
    uint32_t found;
    assert_int_equal(pgasi_ranks_parse("0", 0, &ranks, &found), PGAS_ERR_SYSTEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_lists),
        cmocka_unit_test(refuses_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
