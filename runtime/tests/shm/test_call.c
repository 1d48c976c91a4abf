/**
 * Two different calls have different signatures, above all those whose arguments are small: members
 * in different calls are found by nothing else.
 */
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "shm/call.h"

enum {
    SMALL = 64
};

static int compare(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* All calls with `count` arguments, of which the first is small and the others are the same. */
static void check_small(uint32_t count)
{
    static uint32_t signatures[PGASI_COLLECTIVE_COUNT * SMALL];
    size_t made = 0;
    for (uint32_t call = 0; call < PGASI_COLLECTIVE_COUNT; call++)
        for (uint64_t first = 0; first < SMALL; first++) {
            const pgasi_call_t what = {.call = call, .count = count, .arguments = {first, 5, 1, 0}};
            signatures[made++] = pgasi_call_sign(&what);
        }
    qsort(signatures, made, sizeof *signatures, compare);
    for (size_t i = 1; i < made; i++)
        assert_true(signatures[i - 1] != signatures[i]);
}

static void small_arguments_do_not_stand_for_the_call(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= PGASI_CALL_ARGUMENTS; count++)
        check_small(count);
}

static void the_number_of_arguments_counts(void **state)
{
    (void)state;
    const pgasi_call_t one = {.call = PGASI_BROADCAST, .count = 1};
    const pgasi_call_t none = {.call = PGASI_BROADCAST, .count = 0};
    assert_true(pgasi_call_sign(&one) != pgasi_call_sign(&none));
    assert_true(pgasi_call_sign(&none) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_arguments_do_not_stand_for_the_call),
        cmocka_unit_test(the_number_of_arguments_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
