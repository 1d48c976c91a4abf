/* Rates of products: measured widths give the measured values, widths in between give values in
 * between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "near.h"
#include "rates.h"

static model_parameters_t machine;

static const modeli_home_t memory = {false, 0.0};
static const modeli_home_t last_level = {false, 1.0};
static const modeli_home_t second_level = {true, 1.0};

/* Rows of 2, 5, 10 and 40 ns, half that if the cache holds them; a line of 1 to 6 ns near, half of
 * that close and ten times that far, by width. */
static int set_up(void **state)
{
    (void)state;
    static const double row[] = {2e-9, 5e-9, 10e-9, 40e-9};
    static const double one[] = {1e-9, 2e-9, 4e-9, 6e-9};
    machine = (model_parameters_t){.cache_line_bytes = 64};
    for (int k = 0; k < MODEL_KERNELS; k++)
        for (int w = 0; w < MODEL_RATE_WIDTHS; w++) {
            const double rates[MODEL_RATE_KINDS] = {row[w], row[w] / 2, one[w] / 2,  one[w] / 4,
                                                    one[w], one[w] / 2, one[w] * 10, one[w] * 5};
            int kinds = k < MODEL_LINE_KERNELS ? MODEL_RATE_KINDS : MODEL_RATE_CLOSE_ONE;
            for (int kind = 0; kind < kinds; kind++) {
                machine.value[MODEL_RATE(k, kind, w)] = rates[kind] * (k + 1);
                machine.has[MODEL_RATE(k, kind, w)] = true;
            }
        }
    return 0;
}

static double row_seconds(double width)
{
    const modeli_rows_t rows = {.rows = 1.0, .width = width};
    return modeli_rows_seconds(&rows, &machine, MODEL_ROWS_KERNEL);
}

/* Of one row: it has far lines if there are any. */
static double line_seconds(double width, double near, double far)
{
    double far_rows = fmin(far, 1.0);
    const modeli_rows_t rows = {
        .rows = 1.0,
        .width = width,
        .near = {near, fmin(near, 1.0 - far_rows)},
        .far = {far, far_rows},
    };
    return modeli_lines_seconds(&rows, &machine, MODEL_ROWS_KERNEL);
}

static void widths(void **state)
{
    (void)state;
    assert_near(row_seconds(4), 2e-9, 1e-18);
    assert_near(row_seconds(10), 3.5e-9, 1e-18);
    assert_near(row_seconds(16), 5e-9, 1e-18);
    assert_near(row_seconds(28), 6.25e-9, 1e-18);
    assert_near(row_seconds(40), 7.5e-9, 1e-18);
    assert_near(row_seconds(64), 10e-9, 1e-18);
    assert_near(row_seconds(80), 17.5e-9, 1e-18);
    assert_near(row_seconds(160), 55e-9, 1e-18);
    assert_near(row_seconds(128), 40e-9, 1e-18);
    assert_near(row_seconds(2), 1.5e-9, 1e-18);
    const modeli_rows_t many = {.rows = 1000.0, .width = 16.0};
    assert_near(modeli_rows_seconds(&many, &machine, MODEL_SLICED_KERNEL), 1e-5, 1e-15);
    assert_near(modeli_rows_seconds(&many, &machine, MODEL_NAIVE_KERNEL),
                5e-6 * (MODEL_NAIVE_KERNEL + 1), 1e-15);
}

/* On the line through steep widths they would take nothing, or less. */
static void narrow(void **state)
{
    (void)state;
    machine.value[MODEL_RATE(MODEL_ROWS_KERNEL, MODEL_RATE_ROW, 1)] = 14e-9;
    assert_near(row_seconds(0), 2e-9 * 24 / 72, 1e-18);
    assert_near(row_seconds(2), 2e-9 * 48 / 72, 1e-18);
    assert_near(row_seconds(4), 2e-9, 1e-18);
    machine.value[MODEL_RATE(MODEL_ROWS_KERNEL, MODEL_RATE_ROW, 1)] = 5e-9;
}

static void held(void **state)
{
    (void)state;
    modeli_rows_t rows = {.rows = 1.0, .width = 80.0, .home = last_level};
    assert_near(modeli_rows_seconds(&rows, &machine, MODEL_ROWS_KERNEL), 8.75e-9, 1e-18);
    rows.home.kept = 0.25;
    assert_near(modeli_rows_seconds(&rows, &machine, MODEL_ROWS_KERNEL),
                0.25 * 8.75e-9 + 0.75 * 17.5e-9, 1e-18);
}

static void assert_home(double nbytes, modeli_home_t expected)
{
    modeli_home_t home = modeli_home_of(nbytes, &machine);
    assert_int_equal(home.is_close, expected.is_close);
    assert_near(home.kept, expected.kept, 1e-9);
}

/* Without times of kept matrices a cache holds what it has room for, and else nothing. */
static void homes(void **state)
{
    (void)state;
    machine.last_level_share_bytes = 1e6;
    machine.second_level_cache_bytes = 1e5;
    assert_home(1e5, second_level);
    assert_home(1e5 + 1, last_level);
    assert_home(1e6, last_level);
    assert_home(1e6 + 1, memory);
    machine.last_level_share_bytes = 0.0;
    assert_home(1e5, second_level);
    assert_home(1e5 + 1, memory);
    machine.second_level_cache_bytes = 0.0;
    assert_home(1.0, memory);
}

static void set_kept_rows(double half, double one, double three_halves, double two)
{
    const double seconds[MODEL_KEPT_SIZES] = {half, one, three_halves, two};
    for (int size = 0; size < MODEL_KEPT_SIZES; size++) {
        machine.value[MODEL_KEPT_ROW(size)] = seconds[size];
        machine.has[MODEL_KEPT_ROW(size)] = true;
    }
}

/* With them, the part by which a row is faster than in two shares; linearly between the sizes. */
static void kept_in_part(void **state)
{
    (void)state;
    machine.last_level_share_bytes = 1e6;
    machine.second_level_cache_bytes = 1e5;
    set_kept_rows(5e-9, 6e-9, 8e-9, 9e-9);
    assert_home(1e5, second_level);
    static const double bytes[] = {1.1e5, 5e5, 7.5e5, 1e6, 1.25e6, 1.5e6, 1.75e6, 2e6, 1e9};
    static const double kept[] = {1.0, 1.0, 0.875, 0.75, 0.5, 0.25, 0.125, 0.0, 0.0};
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
        assert_home(bytes[i], (modeli_home_t){false, kept[i]});
    /* Times that are out of order. */
    set_kept_rows(5e-9, 7e-9, 6e-9, 9e-9);
    assert_home(1.5e6, (modeli_home_t){false, 0.5});
    set_kept_rows(5e-9, 10e-9, 8e-9, 9e-9);
    assert_home(1e6, memory);
    assert_home(7.5e5, (modeli_home_t){false, 0.5});
    set_kept_rows(5e-9, 4e-9, 9e-9, 9e-9);
    assert_home(1e6, last_level);
    /* And times that tell nothing. */
    set_kept_rows(5e-9, 6e-9, 8e-9, 5e-9);
    assert_home(1e6, last_level);
    assert_home(1e6 + 1, memory);
    set_kept_rows(5e-9, 6e-9, 8e-9, 9e-9);
    machine.last_level_share_bytes = 0.0;
    assert_home(1e5 + 1, memory);
    machine.last_level_share_bytes = 1e6;
    machine.has[MODEL_KEPT_ROW(2)] = false;
    assert_home(1e6, last_level);
    for (int size = 0; size < MODEL_KEPT_SIZES; size++)
        machine.has[MODEL_KEPT_ROW(size)] = false;
}

/* Rows from the second-level cache have rates by width; without all of them, and by pointers, they
 * cost what those from the last level do. */
static void close_rows(void **state)
{
    (void)state;
    const modeli_rows_t rows = {.rows = 10.0, .width = 40.0, .home = second_level};
    const modeli_rows_t held = {.rows = 10.0, .width = 40.0, .home = last_level};
    for (int k = 0; k < MODEL_POINTERS_KERNEL; k++)
        for (int w = 0; w < MODEL_RATE_WIDTHS; w++) {
            machine.value[MODEL_CLOSE_ROW(k, w)] = (k + 1) * (w + 1) * 1e-9;
            machine.has[MODEL_CLOSE_ROW(k, w)] = true;
        }
    assert_near(modeli_rows_seconds(&rows, &machine, MODEL_ROWS_KERNEL), 25e-9, 1e-17);
    assert_near(modeli_rows_seconds(&rows, &machine, MODEL_SLICED_KERNEL), 50e-9, 1e-17);
    for (int k = MODEL_POINTERS_KERNEL; k < MODEL_KERNELS; k++)
        assert_near(modeli_rows_seconds(&rows, &machine, (model_kernel_t)k),
                    modeli_rows_seconds(&held, &machine, (model_kernel_t)k), 0);
    machine.has[MODEL_CLOSE_ROW(MODEL_SLICED_KERNEL, 3)] = false;
    assert_near(modeli_rows_seconds(&rows, &machine, MODEL_SLICED_KERNEL),
                modeli_rows_seconds(&held, &machine, MODEL_SLICED_KERNEL), 0);
    assert_near(modeli_rows_seconds(&rows, &machine, MODEL_ROWS_KERNEL), 25e-9, 1e-17);
}

/* Every parameter has a bit, the rates of a kernel share one, and a bit names its first parameter.
 */
static void sets(void **state)
{
    (void)state;
    assert_true(MODEL_SET_BITS <= 64);
    for (int p = 0; p < MODEL_RATES; p++)
        assert_int_equal(model_set_bit(p), p);
    for (int k = 0; k < MODEL_KERNELS; k++)
        for (int p = MODEL_FIRST_RATE(k); p < MODEL_FIRST_RATE(k + 1); p++)
            assert_int_equal(model_set_bit(p), MODEL_RATES + k);
    for (int p = MODEL_SEQUENCES; p < MODEL_HELD_LINES; p++)
        assert_int_equal(model_set_bit(p), MODEL_RATES + MODEL_KERNELS);
    for (int p = MODEL_HELD_LINES; p < MODEL_CLOSE_ROWS; p++)
        assert_int_equal(model_set_bit(p), MODEL_RATES + MODEL_KERNELS + 1);
    for (int p = MODEL_CLOSE_ROWS; p < MODEL_KEPT_ROWS; p++)
        assert_int_equal(model_set_bit(p), MODEL_RATES + MODEL_KERNELS + 2);
    for (int p = MODEL_KEPT_ROWS; p < MODEL_MOVE(0); p++)
        assert_int_equal(model_set_bit(p), MODEL_RATES + MODEL_KERNELS + 3);
    for (int p = MODEL_MOVE(0); p < MODEL_MOVE(MODEL_MOVES); p++)
        assert_int_equal(model_set_bit(p), MODEL_RATES + MODEL_KERNELS + 4);
    for (int p = MODEL_PRICE(0, 0); p < MODEL_MESSAGE_FLOOD; p++)
        assert_int_equal(model_set_bit(p), MODEL_RATES + MODEL_KERNELS + 5);
    assert_int_equal(model_set_bit(MODEL_MESSAGE_FLOOD), MODEL_RATES + MODEL_KERNELS + 6);
    for (int p = MODEL_MESSAGE_FLOOD + 1; p < MODEL_NODE_TURN; p++)
        assert_int_equal(model_set_bit(p), MODEL_RATES + MODEL_KERNELS + 7);
    assert_int_equal(model_set_bit(MODEL_NODE_TURN), MODEL_RATES + MODEL_KERNELS + 8);
    for (int p = MODEL_NODE_TURN + 1; p < MODEL_PARAMETERS; p++)
        assert_int_equal(model_set_bit(p), MODEL_RATES + MODEL_KERNELS + 9);
    for (int bit = 0; bit < MODEL_SET_BITS; bit++)
        assert_true(MODEL_BIT(model_set_parameter(bit)) == UINT64_C(1) << bit);
    assert_true(MODEL_BIT(MODEL_PARAMETERS - 1) == UINT64_C(1) << (MODEL_SET_BITS - 1));
}

static void densities(void **state)
{
    (void)state;
    assert_near(line_seconds(16, 0, 0), 0.0, 0);
    /* Each row pays for one line; if it needs all, what all cost. */
    assert_near(line_seconds(16, 1e-6, 0) / 1e-6, 2e-9, 1e-14);
    assert_near(line_seconds(16, 0.5, 0), 1e-9, 1e-18);
    assert_near(line_seconds(16, 1, 0), 2e-9, 1e-18);
    assert_near(line_seconds(16, 0, 1), 20e-9, 1e-18);
    assert_near(line_seconds(16, 0.5, 0.5), 11e-9, 1e-18);
    assert_near(line_seconds(16, 16, 0), 16e-9, 1e-18);
    assert_near(line_seconds(16, 8.5, 0), 2e-9 + 14e-9 * 0.5, 1e-18);
    /* Near lines of a row that also has far ones all count as further ones. */
    assert_near(line_seconds(16, 4, 12), 4 * 14e-9 / 15 + 20e-9 + 11 * 140e-9 / 15, 1e-17);
    /* Close lines have a price of their own. */
    const modeli_rows_t close = {
        .rows = 1.0, .width = 16.0, .close = {8.0, 0.0}, .far = {8.0, 1.0}};
    assert_near(modeli_lines_seconds(&close, &machine, MODEL_ROWS_KERNEL),
                8 * 7e-9 / 15 + 20e-9 + 7 * 140e-9 / 15, 1e-17);
    /* Beyond the widest, the cost of a line stays. */
    assert_near(line_seconds(128, 128, 0), 128 * 3e-9, 1e-17);
    assert_near(line_seconds(128, 1, 0), 6e-9, 1e-18);
}

/* A hundred lines cost a hundred times one if every row has one, and less if one row has them all,
 * since a core overlaps the lines of a row. */
static void crowded(void **state)
{
    (void)state;
    modeli_rows_t rows = {.rows = 100.0, .width = 128.0, .far = {100.0, 100.0}};
    assert_near(modeli_lines_seconds(&rows, &machine, MODEL_ROWS_KERNEL), 100 * 60e-9, 1e-15);
    rows.far.rows = 1.0;
    assert_near(modeli_lines_seconds(&rows, &machine, MODEL_ROWS_KERNEL),
                60e-9 + 99 * (128 * 30e-9 - 60e-9) / 127, 1e-15);
}

static void set_held_line(model_kernel_t kernel, model_rate_kind_t kind, double seconds)
{
    machine.value[MODEL_HELD_LINE(kernel, kind)] = seconds;
    machine.has[MODEL_HELD_LINE(kernel, kind)] = true;
}

/* Close lines of a held matrix have prices of their own, whatever the width; without them they cost
 * what those of a matrix in memory do, and so do lines from elsewhere, and all by pointers. */
static void held_lines(void **state)
{
    (void)state;
    const modeli_rows_t close = {
        .rows = 1.0, .width = 16.0, .close = {4.0, 1.0}, .home = last_level};
    const modeli_rows_t wide = {
        .rows = 1.0, .width = 128.0, .close = {128.0, 1.0}, .home = last_level};
    const modeli_rows_t near = {.rows = 1.0, .width = 16.0, .near = {4.0, 1.0}, .home = last_level};
    modeli_rows_t in_memory = close;
    in_memory.home = memory;
    double before = modeli_lines_seconds(&in_memory, &machine, MODEL_ROWS_KERNEL);
    double near_before = modeli_lines_seconds(&near, &machine, MODEL_ROWS_KERNEL);
    double by_pointers = modeli_lines_seconds(&close, &machine, MODEL_POINTERS_KERNEL);
    assert_near(before, 1e-9 + 3 * 7e-9 / 15, 1e-18);
    assert_near(modeli_lines_seconds(&close, &machine, MODEL_ROWS_KERNEL), before, 1e-18);
    set_held_line(MODEL_ROWS_KERNEL, MODEL_RATE_CLOSE_ONE, 0.8e-9);
    set_held_line(MODEL_ROWS_KERNEL, MODEL_RATE_CLOSE_ALL, 0.2e-9);
    set_held_line(MODEL_SLICED_KERNEL, MODEL_RATE_CLOSE_ONE, 0.6e-9);
    set_held_line(MODEL_SLICED_KERNEL, MODEL_RATE_CLOSE_ALL, 0.1e-9);
    assert_near(modeli_lines_seconds(&close, &machine, MODEL_ROWS_KERNEL), 0.8e-9 + 3 * 2.4e-9 / 15,
                1e-18);
    assert_near(modeli_lines_seconds(&close, &machine, MODEL_SLICED_KERNEL), 0.6e-9 + 3 * 1e-9 / 15,
                1e-18);
    assert_near(modeli_lines_seconds(&wide, &machine, MODEL_ROWS_KERNEL), 128 * 0.2e-9, 1e-18);
    assert_near(modeli_lines_seconds(&in_memory, &machine, MODEL_ROWS_KERNEL), before, 1e-18);
    in_memory.home.kept = 0.5; /* the mean of both */
    assert_near(modeli_lines_seconds(&in_memory, &machine, MODEL_ROWS_KERNEL),
                0.9e-9 + 3 * (16 * 0.35e-9 - 0.9e-9) / 15, 1e-18);
    assert_near(modeli_lines_seconds(&near, &machine, MODEL_ROWS_KERNEL), near_before, 1e-18);
    assert_near(modeli_lines_seconds(&close, &machine, MODEL_POINTERS_KERNEL), by_pointers, 1e-18);
}

static void grows(void **state)
{
    (void)state;
    static const double tried[] = {1, 2, 4, 7, 16, 26, 64, 120, 200};
    for (size_t w = 0; w < sizeof tried / sizeof tried[0]; w++)
        for (int step = 0; step < 3 * (int)tried[w]; step++) {
            double lines = 0.37 * step;
            double now = line_seconds(tried[w], lines, 0);
            assert_true(line_seconds(tried[w], lines + 0.37, 0) >= now * (1 - 1e-12));
        }
}

static void all_or_none(void **state)
{
    (void)state;
    assert_true(modeli_knows_rates(&machine, MODEL_ROWS_KERNEL));
    machine.has[MODEL_RATE(MODEL_SLICED_KERNEL, MODEL_RATE_FAR_ALL, 3)] = false;
    assert_true(modeli_knows_rates(&machine, MODEL_ROWS_KERNEL));
    assert_false(modeli_knows_rates(&machine, MODEL_SLICED_KERNEL));
    assert_true(modeli_knows_rates(&machine, MODEL_NAIVE_KERNEL));
    machine.has[MODEL_RATE(MODEL_POINTERS_KERNEL, MODEL_RATE_FAR_ALL, 3)] = false;
    assert_false(modeli_knows_rates(&machine, MODEL_POINTERS_KERNEL));
    assert_false(modeli_knows_rates(&machine, MODEL_NAIVE_KERNEL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths),     cmocka_unit_test(narrow),      cmocka_unit_test(held),
        cmocka_unit_test(sets),       cmocka_unit_test(homes),       cmocka_unit_test(kept_in_part),
        cmocka_unit_test(densities),  cmocka_unit_test(grows),       cmocka_unit_test(crowded),
        cmocka_unit_test(held_lines), cmocka_unit_test(all_or_none), cmocka_unit_test(close_rows),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
