/* Every kernel gives the bits of the portable one, whatever length and alignment, and writes
 * nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel.h"

enum {
    PITCH = 104,
    ROWS = 3,
    VALUES = PITCH * ROWS
};

static const heat_coefficients_t coefficients = {.dx2i = 10000.0, .dy2i = 8100.0, .dt = 2e-5};

static void fill(double *values)
{
    uint64_t state = 12345;
    for (size_t i = 0; i < VALUES; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        values[i] = (double)(state >> 11) * 0x1p-53 - 0.25;
    }
}

static void compare(heat_row_t *row)
{
    static double phi[VALUES] __attribute__((aligned(64)));
    static double expected[VALUES] __attribute__((aligned(64)));
    static double found[VALUES] __attribute__((aligned(64)));
    if (!heat_row_runs(row))
        return;
    fill(phi);
    for (size_t first = PITCH + 1; first < PITCH + 17; first++)
        for (size_t count = 0; count < PITCH - 20; count++) {
            memset(expected, 0, sizeof expected);
            memset(found, 0, sizeof found);
            heat_row_portable(&phi[first], PITCH, &expected[first], count, &coefficients);
            row(&phi[first], PITCH, &found[first], count, &coefficients);
            heat_row_finish();
            assert_memory_equal(found, expected, sizeof found);
        }
}

static void test_same_bits(void **state)
{
    (void)state;
    compare(heat_row_avx2);
    compare(heat_row_avx512);
    compare(heat_row_avx2_streaming);
    compare(heat_row_avx512_streaming);
    compare(heat_row_choose(false));
    compare(heat_row_choose(true));
}

/* A field that is linear in both directions does not change; a single warm point warms its
 * neighbours by dt over the squared distance. */
static void test_values(void **state)
{
    (void)state;
    double phi[ROWS * 5] = {0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24};
    double phin[3];
    heat_row_portable(&phi[6], 5, phin, 3, &coefficients);
    for (size_t k = 0; k < 3; k++)
        assert_true(phin[k] == phi[6 + k]);
    memset(phi, 0, sizeof phi);
    phi[6] = 1.0;
    phi[3] = 1.0;
    heat_row_portable(&phi[6], 5, phin, 3, &coefficients);
    assert_true(phin[0] == 1.0 + (-2.0 * 8100.0 - 2.0 * 10000.0) * 2e-5);
    assert_true(phin[1] == 10000.0 * 2e-5);
    assert_true(phin[2] == 8100.0 * 2e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
