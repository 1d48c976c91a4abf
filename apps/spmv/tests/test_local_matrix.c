/* The product of a local matrix, by every product that this processor runs, is the row-by-row
 * product to the last bit: for whole and broken slices, rows of all kinds of lengths, near and far
 * columns, places in order and not. Little of what it stores is padding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../local_product.h"
#include "../row_order.h"

enum {
    ALL_ROWS = 300,
    COLUMNS = 200000,
    MOST_NZ = 17
};

/* How long rows are. */
typedef enum shape {
    ALL_EQUAL = 0,
    SOME_EMPTY,
    ALL_EMPTY,
    ONE_LONG,
    POWER_LAW,
    SHAPES
} shape_t;

static double D[ALL_ROWS];
static double A[ALL_ROWS * MOST_NZ];
static double x[COLUMNS];
static double own_x[ALL_ROWS];
static uint32_t places[ALL_ROWS];
static uint32_t lengths[ALL_ROWS];
static uint32_t columns[ALL_ROWS * MOST_NZ];

static double number(void)
{
    return (double)rand() / RAND_MAX - 0.5;
}

static void fill_numbers(void)
{
    for (size_t i = 0; i < COLUMNS; i++)
        x[i] = number();
    for (size_t row = 0; row < ALL_ROWS; row++) {
        D[row] = number();
        own_x[row] = number();
    }
    for (size_t i = 0; i < ALL_ROWS * (size_t)MOST_NZ; i++)
        A[i] = number();
}

static uint32_t choose_length(shape_t shape, size_t k, size_t r_nz)
{
    switch (shape) {
    case SOME_EMPTY:
        return (uint32_t)(rand() % 3 == 0 ? 0 : (size_t)rand() % (r_nz + 1));
    case ALL_EMPTY:
        return 0;
    case ONE_LONG:
        return k == 11 ? (uint32_t)r_nz : 1;
    case POWER_LAW:
        return (uint32_t)(r_nz / (1 + (size_t)rand() % (4 * r_nz)));
    default:
        return (uint32_t)r_nz;
    }
}

/* The columns of eight rows lie within `reach` of each other. */
static spmv_rows_t choose_rows(shape_t shape, size_t r_nz, size_t count, uint32_t reach,
                               size_t step)
{
    uint32_t first = 0;
    for (size_t k = 0; k < count; k++) {
        places[k] = (uint32_t)(k * step);
        lengths[k] = choose_length(shape, k, r_nz);
        if (k % SPMV_LANES == 0)
            first = (uint32_t)rand() % (COLUMNS - reach);
        for (size_t j = 0; j < r_nz; j++)
            columns[k * r_nz + j] = first + (uint32_t)rand() % reach;
    }
    return (spmv_rows_t){.count = count,
                         .r_nz = r_nz,
                         .places = places,
                         .lengths = lengths,
                         .columns = columns,
                         .reads_own = step == 1};
}

/* The sequential product's result for a row. */
static double expected(const spmv_rows_t *rows, size_t k)
{
    volatile double sum = 0; /* no fused operations here either */
    for (size_t j = 0; j < rows->lengths[k]; j++) {
        volatile double term =
            A[rows->places[k] * rows->r_nz + j] * x[rows->columns[k * rows->r_nz + j]];
        sum += term;
    }
    volatile double diagonal = D[rows->places[k]] * own_x[rows->places[k]];
    return diagonal + sum;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void compare(const spmv_product_t *product, const spmv_rows_t *rows)
{
    static double y[ALL_ROWS];
    spmv_local_matrix_t matrix;
    for (size_t row = 0; row < ALL_ROWS; row++)
        y[row] = -7;
    spmv_local_matrix_create(D, A, rows, product->form, &matrix);
    product->multiply(&matrix, 0, matrix.slice_count / 2, x, own_x, y);
    product->multiply(&matrix, matrix.slice_count / 2, matrix.slice_count, x, own_x, y);
    for (size_t k = 0; k < rows->count; k++) {
        double wanted = expected(rows, k);
        if (bits_of(y[rows->places[k]]) != bits_of(wanted))
            fail_msg("%s: row %zu of %zu, %u of %zu columns: %.17g, not %.17g", product->name, k,
                     rows->count, rows->lengths[k], rows->r_nz, y[rows->places[k]], wanted);
        y[rows->places[k]] = -7;
    }
    for (size_t row = 0; row < ALL_ROWS; row++)
        if (y[row] != -7)
            fail_msg("%s: row %zu is not of the matrix, and has changed", product->name, row);
    spmv_local_matrix_free(&matrix);
}

static void all_reaches(const spmv_product_t *product, shape_t shape)
{
    static const uint32_t reaches[] = {1, 100, 65535, 65536, 65537, 150000};
    /* Under a sanitizer, which is slow, one count of three. */
    size_t few_apart = getenv("FATHOM_TEST_SANITIZED") == NULL ? 1 : 3;
    for (size_t r_nz = 1; r_nz <= MOST_NZ; r_nz += r_nz < 4 || r_nz == 16 ? 1 : 4)
        for (size_t i = 0; i < sizeof reaches / sizeof reaches[0]; i++)
            for (size_t step = 1; step <= 3; step += 2)
                for (size_t count = 0; count <= ALL_ROWS / step;
                     count += count < 20 ? few_apart : 67) {
                    spmv_rows_t rows = choose_rows(shape, r_nz, count, reaches[i], step);
                    compare(product, &rows);
                }
}

static void test_products(void **state)
{
    (void)state;
    for (size_t p = 0; p < SPMV_PRODUCTS; p++)
        for (int shape = 0; shape < SHAPES; shape++)
            if (spmv_product_runs(&spmv_products[p]))
                all_reaches(&spmv_products[p], (shape_t)shape);
}

/* A value that is not finite affects only the rows that use it, not those that are padded. */
static void test_padding_stays_out(void **state)
{
    (void)state;
    static const size_t count = 64;
    double y[ALL_ROWS];
    for (size_t p = 0; p < SPMV_PRODUCTS; p++) {
        spmv_local_matrix_t matrix;
        spmv_rows_t rows = choose_rows(ONE_LONG, MOST_NZ, count, 1000, 1);
        double kept = x[columns[11 * MOST_NZ + 1]];
        if (!spmv_product_runs(&spmv_products[p]))
            continue;
        x[columns[11 * MOST_NZ + 1]] = HUGE_VAL;
        spmv_local_matrix_create(D, A, &rows, spmv_products[p].form, &matrix);
        spmv_product_run(&spmv_products[p], &matrix, x, own_x, y);
        for (size_t k = 0; k < count; k++)
            if (isfinite(y[k]) != isfinite(expected(&rows, k)))
                fail_msg("%s: row %zu is %g", spmv_products[p].name, k, y[k]);
        x[columns[11 * MOST_NZ + 1]] = kept;
        spmv_local_matrix_free(&matrix);
    }
}

static void test_names(void **state)
{
    (void)state;
    for (size_t p = 0; p < SPMV_PRODUCTS; p++)
        assert_ptr_equal(spmv_product_find(spmv_products[p].name), &spmv_products[p]);
    assert_null(spmv_product_find("rows"));
    assert_true(spmv_product_runs(spmv_product_find("rows-32")));
}

/* Rows as a power law makes them: a few of some hundred, most of a handful. */
static void test_padding_is_bounded(void **state)
{
    (void)state;
    static const size_t count = 5 * SLICES_WINDOW / 2;
    static const size_t longest = 250;
    uint32_t *many = malloc(count * sizeof *many);
    uint32_t *row_places = malloc(count * sizeof *row_places);
    uint32_t *row_columns = calloc(count * longest, sizeof *row_columns);
    double *values = calloc(count * longest, sizeof *values);
    double *diagonal = calloc(count, sizeof *diagonal);
    spmv_local_matrix_t matrix;
    for (size_t k = 0; k < count; k++) {
        double share = ((double)rand() + 1) / ((double)RAND_MAX + 1);
        many[k] = (uint32_t)fmin((double)longest, 4 * pow(share, -1 / 1.2));
        row_places[k] = (uint32_t)k;
    }
    spmv_rows_t rows = {count, longest, row_places, many, row_columns, true};
    for (size_t p = 0; p < SPMV_PRODUCTS; p++) {
        spmv_local_matrix_create(diagonal, values, &rows, spmv_products[p].form, &matrix);
        if (matrix.entries > matrix.nonzeros + longest * 3 * (SPMV_LANES - 1))
            fail_msg("%zu places for %zu off-diagonals", matrix.entries, matrix.nonzeros);
        assert_true(spmv_local_matrix_bytes(&matrix) < 15 * matrix.nonzeros + 64 * count);
        spmv_local_matrix_free(&matrix);
    }
    free(diagonal);
    free(values);
    free(row_columns);
    free(row_places);
    free(many);
}

/* Slices share a length where that stores little more, and have their own where it would store
 * much. */
static void test_lengths(void **state)
{
    (void)state;
    spmv_local_matrix_t matrix;
    spmv_rows_t rows = choose_rows(ALL_EQUAL, 16, 160, 1000, 1);
    spmv_form_t form = spmv_product_find("lanes-16")->form;
    for (size_t k = 8; k < 24; k++)
        lengths[k] = 14;
    spmv_local_matrix_create(D, A, &rows, form, &matrix);
    for (size_t s = 0; s < matrix.slice_count; s++)
        assert_int_equal(matrix.slices[s].length, 16);
    spmv_local_matrix_free(&matrix);
    for (size_t k = 8; k < 80; k++)
        lengths[k] = 10;
    spmv_local_matrix_create(D, A, &rows, form, &matrix);
    assert_int_equal(matrix.slices[0].length, 16);
    assert_int_equal(matrix.slices[1].length, 10);
    assert_int_equal(matrix.entries, 16 * (160 - 72) + 10 * 72);
    spmv_local_matrix_free(&matrix);
}

/* Rows of about one length keep their order; others are sorted, window by window, in place. */
static void test_row_order(void **state)
{
    (void)state;
    uint32_t alike[100];
    uint32_t mixed[SLICES_WINDOW + 8];
    uint32_t order[SLICES_WINDOW + 8];
    for (uint32_t k = 0; k < 100; k++)
        alike[k] = 15 + k % 2;
    spmv_row_order_find(alike, 100, order);
    for (uint32_t k = 0; k < 100; k++)
        assert_int_equal(order[k], k);
    for (uint32_t k = 0; k < SLICES_WINDOW + 8; k++)
        mixed[k] = k % SPMV_LANES == 3 ? 40 : 2;
    spmv_row_order_find(mixed, SLICES_WINDOW + 8, order);
    for (uint32_t k = 0; k < SLICES_WINDOW / SPMV_LANES; k++)
        assert_int_equal(order[k], SPMV_LANES * k + 3);
    assert_int_equal(order[SLICES_WINDOW / SPMV_LANES], 0);
    assert_int_equal(order[SLICES_WINDOW], SLICES_WINDOW + 3);
    spmv_row_order_find(mixed, 0, order);
}

int main(void)
{
    static const unsigned seed = 20261121;
    printf("seed %u\n", seed);
    srand(seed);
    fill_numbers();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),  cmocka_unit_test(test_padding_stays_out),
        cmocka_unit_test(test_names),     cmocka_unit_test(test_padding_is_bounded),
        cmocka_unit_test(test_row_order), cmocka_unit_test(test_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
