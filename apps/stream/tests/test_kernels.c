/* The kernels compute what STREAM's do, whether or not vectors divide the length, and the check of
 * their values finds a single wrong element. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../kernels.h"

enum {
    MOST = 200
};

static const size_t lengths[] = {1, 2, 3, 15, 16, 17, 31, 33, 64, 199, MOST};

static void kernels_equal_loops(void **state)
{
    (void)state;
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        double a[MOST];
        double b[MOST];
        double c[MOST];
        const stream_arrays_t arrays = {a, b, c};
        double sum = 0.0;
        for (size_t i = 0; i < lengths[l]; i++) {
            a[i] = (double)i + 1.0;
            sum += a[i];
        }
        assert_true(stream_kernel_run(STREAM_SUM, &arrays, lengths[l]) == sum);
        stream_kernel_run(STREAM_COPY, &arrays, lengths[l]);
        stream_kernel_run(STREAM_SCALE, &arrays, lengths[l]);
        for (size_t i = 0; i < lengths[l]; i++) {
            assert_true(c[i] == (double)i + 1.0);
            assert_true(b[i] == STREAM_FACTOR * c[i]);
        }
        stream_kernel_run(STREAM_ADD, &arrays, lengths[l]);
        for (size_t i = 0; i < lengths[l]; i++)
            assert_true(c[i] == a[i] + b[i]);
        stream_kernel_run(STREAM_TRIAD, &arrays, lengths[l]);
        for (size_t i = 0; i < lengths[l]; i++)
            assert_true(fabs(a[i] - b[i] - STREAM_FACTOR * c[i]) <= 1e-13 * a[i]);
    }
}

static void check_sees_every_element(void **state)
{
    (void)state;
    double a[MOST];
    double b[MOST];
    double c[MOST];
    const stream_arrays_t arrays = {a, b, c};
    double *const all[] = {a, b, c};
    stream_values_t expected = stream_start_values;
    stream_kernel_start(&arrays, MOST);
    for (int r = 0; r < 3; r++)
        for (int kernel = STREAM_COPY; kernel <= STREAM_SUM; kernel++) {
            stream_kernel_run((stream_kernel_t)kernel, &arrays, MOST);
            stream_kernel_expect((stream_kernel_t)kernel, &expected);
            assert_true(stream_kernel_check(&arrays, MOST, &expected));
        }
    for (size_t array = 0; array < 3; array++)
        for (size_t i = 0; i < MOST; i++) {
            double right = all[array][i];
            all[array][i] = right * (1.0 + 1e-12);
            assert_false(stream_kernel_check(&arrays, MOST, &expected));
            all[array][i] = right;
        }
    assert_true(stream_kernel_check(&arrays, MOST, &expected));
}

static void check_sees_a_kernel_left_out(void **state)
{
    (void)state;
    double a[MOST];
    double b[MOST];
    double c[MOST];
    const stream_arrays_t arrays = {a, b, c};
    for (int left_out = STREAM_COPY; left_out <= STREAM_TRIAD; left_out++) {
        stream_values_t expected = stream_start_values;
        stream_kernel_start(&arrays, MOST);
        for (int r = 0; r < 2; r++)
            for (int kernel = STREAM_COPY; kernel <= STREAM_TRIAD; kernel++) {
                if (r == 0 || kernel != left_out)
                    stream_kernel_run((stream_kernel_t)kernel, &arrays, MOST);
                stream_kernel_expect((stream_kernel_t)kernel, &expected);
            }
        assert_false(stream_kernel_check(&arrays, MOST, &expected));
    }
}

/* Denormal numbers take fifty times as long. */
static void numbers_stay_normal(void **state)
{
    (void)state;
    stream_values_t values = stream_start_values;
    for (size_t r = 0; r < 1000000; r++)
        for (int kernel = STREAM_COPY; kernel <= STREAM_TRIAD; kernel++)
            stream_kernel_expect((stream_kernel_t)kernel, &values);
    assert_true(isnormal(values.a) && isnormal(values.b) && isnormal(values.c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_equal_loops),
        cmocka_unit_test(check_sees_every_element),
        cmocka_unit_test(check_sees_a_kernel_left_out),
        cmocka_unit_test(numbers_stay_normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
