/* Summaries compared with sorting, for numbers in every kind of order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../tools/summary.h"

enum {
    MOST = 70,
    MANY = 1 << 20
};

static uint64_t state;

/* xorshift64. */
static uint64_t random_below(uint64_t bound)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % bound;
}

static int ascending(const void *a, const void *b)
{
    double first = *(const double *)a;
    double second = *(const double *)b;
    return (first > second) - (first < second);
}

static void check(const double *values, size_t count)
{
    double sorted[MOST];
    double shuffled[MOST];
    double sum = 0.0;
    memcpy(sorted, values, count * sizeof *values);
    memcpy(shuffled, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, ascending);
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    summary_t summary = summary_of(shuffled, count);
    assert_true(summary.min == sorted[0]);
    assert_true(summary.max == sorted[count - 1]);
    assert_true(summary.mean == sum / (double)count);
    assert_true(summary.median == (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0);
}

static void test_random(void **unused)
{
    (void)unused;
    for (int turn = 0; turn < 20000; turn++) {
        double values[MOST];
        size_t count = 1 + random_below(MOST);
        uint64_t different = 1 + random_below((size_t)2 * MOST);
        for (size_t i = 0; i < count; i++)
            values[i] = (double)random_below(different) - 7.0;
        check(values, count);
    }
}

static void test_in_order(void **unused)
{
    (void)unused;
    double up[MOST];
    double down[MOST];
    double hill[MOST];
    for (size_t i = 0; i < MOST; i++) {
        up[i] = (double)i;
        down[i] = -(double)i;
        hill[i] = (double)(i < MOST / 2 ? i : MOST - i);
    }
    for (size_t count = 1; count <= MOST; count++) {
        check(up, count);
        check(down, count);
        check(hill, count);
    }
}

/* Equal and sorted numbers, such as the rows of threads, take no longer than others: a number of
 * steps quadratic in a million would take hours. */
static void test_many(void **unused)
{
    (void)unused;
    double *values = malloc(MANY * sizeof *values);
    assert_non_null(values);
    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < MANY; i++)
            values[i] = kind == 0 ? 3.0 : (double)(kind == 1 ? i : i % 16);
        summary_t summary = summary_of(values, MANY);
        assert_true(summary.median == (kind == 0 ? 3.0 : kind == 1 ? MANY / 2.0 - 0.5 : 7.5));
    }
    free(values);
}

static void test_json(void **unused)
{
    (void)unused;
    double values[] = {4.0, 1.0, 2.0, 8.0};
    json_t *counts = summary_json(values, 4, true);
    assert_true(json_is_integer(json_object_get(counts, "min")));
    assert_int_equal(json_integer_value(json_object_get(counts, "median")), 3);
    assert_int_equal(json_integer_value(json_object_get(counts, "max")), 8);
    assert_true(json_real_value(json_object_get(counts, "mean")) == 3.75);
    json_decref(counts);
    json_t *seconds = summary_json(values, 4, false);
    assert_true(json_is_real(json_object_get(seconds, "max")));
    json_decref(seconds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_in_order),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_json),
    };
    state = (uint64_t)time(NULL) | 1;
    printf("seed %llu\n", (unsigned long long)state);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
