/* The product of a local matrix, by every kernel that this processor runs, is the row-by-row
 * product to the last bit: for whole and broken slices, near and far columns, places in order and
 * not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "../local_product.h"

enum {
    ALL_ROWS = 300,
    COLUMNS = 200000,
    MOST_NZ = 17
};

static double D[ALL_ROWS];
static double A[ALL_ROWS * MOST_NZ];
static double x[COLUMNS];
static double own_x[ALL_ROWS];
static uint32_t places[ALL_ROWS];
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

/* The columns of eight rows lie within `reach` of each other. */
static void choose_columns(size_t r_nz, size_t rows, uint32_t reach, size_t step)
{
    uint32_t first = 0;
    for (size_t k = 0; k < rows; k++) {
        places[k] = (uint32_t)(k * step);
        if (k % SPMV_LANES == 0)
            first = (uint32_t)rand() % (COLUMNS - reach);
        for (size_t j = 0; j < r_nz; j++)
            columns[k * r_nz + j] = first + (uint32_t)rand() % reach;
    }
}

static void compare(spmv_product_t *product, size_t r_nz, size_t rows, uint32_t reach, size_t step)
{
    static double y[ALL_ROWS];
    spmv_local_matrix_t matrix;
    choose_columns(r_nz, rows, reach, step);
    for (size_t row = 0; row < ALL_ROWS; row++)
        y[row] = -7;
    spmv_local_matrix_create(D, A, r_nz, places, rows, columns, &matrix);
    matrix.product = product;
    spmv_local_matrix_multiply(&matrix, x, own_x, y);
    for (size_t k = 0; k < rows; k++) {
        volatile double sum = 0; /* no fused operations here either */
        for (size_t j = 0; j < r_nz; j++) {
            volatile double term = A[places[k] * r_nz + j] * x[columns[k * r_nz + j]];
            sum += term;
        }
        volatile double diagonal = D[places[k]] * own_x[places[k]];
        double expected = diagonal + sum;
        if (y[places[k]] != expected)
            fail_msg("row %zu of %zu, %zu columns: %.17g, not %.17g", k, rows, r_nz, y[places[k]],
                     expected);
        y[places[k]] = -7;
    }
    for (size_t row = 0; row < ALL_ROWS; row++)
        if (y[row] != -7)
            fail_msg("row %zu is not of the matrix, and has changed", row);
    spmv_local_matrix_free(&matrix);
}

static void all_shapes(spmv_product_t *product)
{
    static const uint32_t reaches[] = {1, 100, 65535, 65536, 65537, 150000};
    if (product == NULL || !spmv_product_runs(product))
        skip();
    for (size_t r_nz = 1; r_nz <= MOST_NZ; r_nz += r_nz < 4 || r_nz == 16 ? 1 : 4)
        for (size_t i = 0; i < sizeof reaches / sizeof reaches[0]; i++)
            for (size_t step = 1; step <= 3; step += 2)
                for (size_t rows = 0; rows <= ALL_ROWS / step; rows += rows < 20 ? 1 : 67)
                    compare(product, r_nz, rows, reaches[i], step);
}

static void test_portable(void **state)
{
    (void)state;
    all_shapes(spmv_product_portable);
}

static void test_avx2(void **state)
{
    (void)state;
    all_shapes(spmv_product_avx2);
}

static void test_avx512(void **state)
{
    (void)state;
    all_shapes(spmv_product_avx512);
}

int main(void)
{
    srand(20261121);
    fill_numbers();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_portable),
        cmocka_unit_test(test_avx2),
        cmocka_unit_test(test_avx512),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
