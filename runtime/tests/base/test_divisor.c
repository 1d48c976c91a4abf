/**
 * Division by a precomputed reciprocal: exact for every dividend below 2^63.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pgas/detail.h>

#include "random.h"

static const uint64_t top = UINT64_C(1) << 63;

static void check(uint64_t dividend, uint64_t divisor)
{
    pgasi_divisor_t d = pgasi_divisor(divisor);
    if (pgasi_divide(dividend, &d) != dividend / divisor)
        fail_msg("%llu / %llu: not %llu", (unsigned long long)dividend, (unsigned long long)divisor,
                 (unsigned long long)pgasi_divide(dividend, &d));
}

/* Dividends where a rounding error would show: next to multiples of the divisor. */
static void check_around(uint64_t divisor, uint64_t factor)
{
    uint64_t multiple = factor % ((top - 1) / divisor + 1) * divisor;
    check(multiple, divisor);
    if (multiple > 0)
        check(multiple - 1, divisor);
    if (multiple < top - 1)
        check(multiple + 1, divisor);
}

static void test_edges(void **state)
{
    (void)state;
    uint64_t edges[64 * 3];
    size_t count = 0;
    for (unsigned shift = 0; shift < 64; shift++) {
        uint64_t power = UINT64_C(1) << shift;
        edges[count++] = power;
        edges[count++] = power - 1;
        edges[count++] = power < top ? power + 1 : top - 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (edges[i] == 0)
            continue;
        for (size_t j = 0; j < count; j++)
            if (edges[j] < top)
                check(edges[j], edges[i]);
        check(0, edges[i]);
        check_around(edges[i], (top - 1) / edges[i]);
    }
}

static void test_random(void **state)
{
    (void)state;
    uint64_t random = random_seed();
    for (int i = 0; i < 1000000; i++) {
        uint64_t divisor = 1 + random_size(&random, top - 1);
        check(random_size(&random, top - 1), divisor);
        check_around(divisor, random_next(&random));
    }
}

static void test_small(void **state)
{
    (void)state;
    for (uint64_t divisor = 1; divisor < 300; divisor++)
        for (uint64_t dividend = 0; dividend < 3000; dividend++)
            check(dividend, divisor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
