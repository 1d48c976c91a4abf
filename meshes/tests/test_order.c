/* Renumbering changes where things stand and nothing else, and does for locality what each method
 * is for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"

static mesh_error_t error;

/* A cube whose cells stand in random order. */
static mesh_file_content_t shuffled_cube(uint64_t seed)
{
    mesh_file_content_t content = {.mesh = sample_cube(8, 0.2, seed)};
    size_t n = content.mesh.cells;
    int32_t *order = malloc(n * sizeof *order);
    assert_non_null(order);
    for (size_t i = 0; i < n; i++) {
        size_t j = (size_t)(sample_random(&seed) * (double)(i + 1));
        order[i] = order[j];
        order[j] = (int32_t)i;
    }
    assert_true(mesh_diffusion_make(&content.mesh, NULL, &content.matrix, NULL, &error));
    assert_true(mesh_order_apply(&content, order, &error));
    free(order);
    return content;
}

/* Row i of the ordered product is row original[i] of the unordered one. */
static void check_product(const mesh_matrix_t *matrix, const mesh_matrix_t *ordered,
                          const int32_t *order)
{
    size_t n = matrix->rows;
    double *x = malloc(4 * n * sizeof *x);
    assert_non_null(x);
    double *y = x + n;
    double *moved_x = y + n;
    double *moved_y = moved_x + n;
    for (size_t i = 0; i < n; i++)
        x[i] = sin((double)i);
    for (size_t i = 0; i < n; i++)
        moved_x[i] = x[order[i]];
    mesh_matrix_multiply(matrix, x, y);
    mesh_matrix_multiply(ordered, moved_x, moved_y);
    for (size_t i = 0; i < n; i++)
        assert_true(fabs(moved_y[i] - y[order[i]]) < 1e-12);
    free(x);
}

static void copy_matrix(const mesh_matrix_t *matrix, mesh_matrix_t *copy)
{
    size_t entries = matrix->rows * matrix->row_nonzeros;
    assert_true(mesh_matrix_alloc(matrix->rows, matrix->row_nonzeros, copy, &error));
    memcpy(copy->D, matrix->D, matrix->rows * sizeof *copy->D);
    memcpy(copy->A, matrix->A, entries * sizeof *copy->A);
    memcpy(copy->J, matrix->J, entries * sizeof *copy->J);
}

static void test_methods(void **state)
{
    static const mesh_order_method_t methods[] = {MESH_ORDER_NONE,    MESH_ORDER_RCM,
                                                  MESH_ORDER_METIS,   MESH_ORDER_NESTED,
                                                  MESH_ORDER_HILBERT, MESH_ORDER_NESTED_PRODUCT};
    static const char *const names[] = {"none",         "rcm",     "metis k-way",
                                        "metis nested", "hilbert", "metis nested-product"};
    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        mesh_file_content_t content = shuffled_cube(4);
        mesh_matrix_t before;
        int32_t *order;
        size_t foreign_before;
        size_t foreign;
        size_t n = content.mesh.cells;
        copy_matrix(&content.matrix, &before);
        assert_true(mesh_matrix_foreign(&before, 4, n / 4, &foreign_before, &error));
        assert_true(mesh_order_find(&content, methods[m], 4, 0, &order, &error));
        assert_true(mesh_order_apply(&content, order, &error));
        check_product(&before, &content.matrix, order);
        mesh_geometry_t copy = content.mesh;
        copy.neighbours = malloc(4 * n * sizeof *copy.neighbours);
        copy.volumes = malloc(n * sizeof *copy.volumes);
        assert_true(mesh_geometry_complete(&copy, "copy", &error));
        assert_memory_equal(copy.neighbours, content.mesh.neighbours, 4 * n * sizeof(int32_t));
        free(copy.neighbours);
        free(copy.volumes);
        assert_true(mesh_matrix_foreign(&content.matrix, 4, n / 4, &foreign, &error));
        mesh_bandwidth_t width = mesh_matrix_bandwidth(&content.matrix);
        printf("%-12s bandwidth %zu, mean %.1f, foreign %zu (before %zu)\n", names[m],
               width.largest, width.mean, foreign, foreign_before);
        if (methods[m] == MESH_ORDER_RCM)
            assert_true(width.largest < n / 4);
        if (methods[m] != MESH_ORDER_NONE)
            assert_true(foreign < foreign_before / 2);
        free(order);
        mesh_matrix_free(&before);
        mesh_file_content_free(&content);
    }
}

static size_t count_foreign(const mesh_file_content_t *content, size_t threads, size_t block)
{
    size_t foreign;
    assert_true(mesh_matrix_foreign(&content->matrix, threads, block, &foreign, &error));
    return foreign;
}

static size_t order_for_threads(mesh_file_content_t *content, size_t threads, size_t block)
{
    int32_t *order;
    size_t n = content->matrix.rows;
    assert_true(mesh_order_find(content, MESH_ORDER_METIS, threads, block, &order, &error));
    assert_true(mesh_order_apply(content, order, &error));
    free(order);
    return count_foreign(content, threads, block > 0 ? block : (n + threads - 1) / threads);
}

/* What eight threads need that have an eighth of the cube each. */
static size_t foreign_of_octants(void)
{
    mesh_file_content_t content = shuffled_cube(4);
    size_t n = content.mesh.cells;
    size_t next[8];
    int32_t *order = malloc(n * sizeof *order);
    assert_non_null(order);
    for (size_t p = 0; p < 8; p++)
        next[p] = p * (n / 8);
    for (size_t i = 0; i < n; i++) {
        double x[3];
        mesh_geometry_centroid(&content.mesh, i, x);
        order[next[(x[0] > 0.5) + 2 * (x[1] > 0.5) + 4 * (x[2] > 0.5)]++] = (int32_t)i;
    }
    assert_true(mesh_order_apply(&content, order, &error));
    size_t foreign = count_foreign(&content, 8, n / 8);
    free(order);
    mesh_file_content_free(&content);
    return foreign;
}

/* The rows of a thread are a part's, in blocks of any size: threads need little more than those of
 * a cube cut in eight. */
static void test_threads(void **state)
{
    static const size_t blocks[] = {0, 384, 385, 500, 100, 7};
    (void)state;
    size_t octants = foreign_of_octants();
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
        mesh_file_content_t content = shuffled_cube(4);
        size_t foreign = order_for_threads(&content, 8, blocks[b]);
        printf("blocks of %zu: %zu values from other threads; octants: %zu\n", blocks[b], foreign,
               octants);
        assert_true(10 * foreign < 11 * octants);
        mesh_file_content_free(&content);
    }
}

/* Without a matrix the parts are made for the matrix there will be. */
static void test_mesh_only(void **state)
{
    (void)state;
    mesh_file_content_t both = shuffled_cube(5);
    size_t foreign = order_for_threads(&both, 5, 0);
    mesh_file_content_free(&both);
    mesh_file_content_t mesh = shuffled_cube(5);
    int32_t *order;
    mesh_matrix_free(&mesh.matrix);
    assert_true(mesh_order_find(&mesh, MESH_ORDER_METIS, 5, 0, &order, &error));
    assert_true(mesh_order_apply(&mesh, order, &error));
    assert_true(mesh_diffusion_make(&mesh.mesh, NULL, &mesh.matrix, NULL, &error));
    size_t later = count_foreign(&mesh, 5, (mesh.mesh.cells + 4) / 5);
    printf("%zu values from other threads; ordered before there was a matrix: %zu\n", foreign,
           later);
    assert_true(4 * later < 5 * foreign && 4 * foreign < 5 * later);
    free(order);
    mesh_file_content_free(&mesh);
}

/* More threads than blocks, and as many as rows. */
static void test_many_threads(void **state)
{
    (void)state;
    mesh_file_content_t content = {.mesh = sample_cube(2, 0.2, 5)};
    assert_true(mesh_diffusion_make(&content.mesh, NULL, &content.matrix, NULL, &error));
    assert_int_equal(content.matrix.rows, 48);
    order_for_threads(&content, 48, 0);
    order_for_threads(&content, 47, 0);
    order_for_threads(&content, 40, 7);
    order_for_threads(&content, 3, 48);
    order_for_threads(&content, 1, 5);
    mesh_file_content_free(&content);
}

static void test_matrix_only(void **state)
{
    (void)state;
    mesh_file_content_t content = {.matrix = sample_matrix(200, 6, 3)};
    mesh_matrix_t before;
    int32_t *order = NULL;
    copy_matrix(&content.matrix, &before);
    assert_false(mesh_order_find(&content, MESH_ORDER_HILBERT, 1, 0, &order, &error));
    assert_non_null(strstr(error.text, "the file has no mesh"));
    assert_null(order);
    assert_false(mesh_order_find(&content, MESH_ORDER_METIS, 201, 0, &order, &error));
    assert_non_null(strstr(error.text, "--parts"));
    for (mesh_order_method_t method = MESH_ORDER_RCM; method <= MESH_ORDER_NESTED; method++) {
        mesh_file_content_t moved = {0};
        copy_matrix(&before, &moved.matrix);
        assert_true(mesh_order_find(&moved, method, 3, 0, &order, &error));
        assert_true(mesh_order_apply(&moved, order, &error));
        check_product(&before, &moved.matrix, order);
        free(order);
        order = NULL;
        mesh_file_content_free(&moved);
    }
    mesh_matrix_free(&before);
    mesh_file_content_free(&content);
}

/* Nested dissection of what a product refers to, and of cells that share a face: with a mesh they
 * differ, without one both see the matrix alone. */
static void test_nested_product(void **state)
{
    (void)state;
    mesh_file_content_t content = shuffled_cube(4);
    size_t nbytes = content.matrix.rows * sizeof(int32_t);
    int32_t *orders[3];
    assert_true(mesh_order_find(&content, MESH_ORDER_NESTED, 1, 0, &orders[0], &error));
    assert_true(mesh_order_find(&content, MESH_ORDER_NESTED_PRODUCT, 1, 0, &orders[1], &error));
    mesh_geometry_free(&content.mesh);
    assert_true(mesh_order_find(&content, MESH_ORDER_NESTED, 1, 0, &orders[2], &error));
    assert_memory_not_equal(orders[1], orders[0], nbytes);
    assert_memory_equal(orders[1], orders[2], nbytes);
    for (size_t i = 0; i < 3; i++)
        free(orders[i]);
    mesh_file_content_free(&content);
}

/* A file of another program may have values in a row's own column, beside D: the product adds them,
 * so they are no padding. */
static void test_own_column(void **state)
{
    (void)state;
    mesh_file_content_t content = {.matrix = sample_matrix(50, 4, 9)};
    mesh_matrix_t before;
    int32_t *order = NULL;
    for (size_t i = 0; i < 50; i += 3) {
        content.matrix.J[4 * i + 1] = (int32_t)i;
        content.matrix.A[4 * i + 1] = 2.5 + (double)i;
    }
    copy_matrix(&content.matrix, &before);
    assert_true(mesh_order_find(&content, MESH_ORDER_RCM, 1, 0, &order, &error));
    assert_true(mesh_order_apply(&content, order, &error));
    check_product(&before, &content.matrix, order);
    free(order);
    mesh_matrix_free(&before);
    mesh_file_content_free(&content);
}

static void test_bad_order(void **state)
{
    static const int32_t twice[] = {0, 1, 1};
    static const int32_t beyond[] = {0, 1, 3};
    (void)state;
    mesh_file_content_t content = {.matrix = sample_matrix(3, 2, 3)};
    const double *A = content.matrix.A;
    assert_false(mesh_order_apply(&content, twice, &error));
    assert_false(mesh_order_apply(&content, beyond, &error));
    assert_ptr_equal(content.matrix.A, A);
    mesh_file_content_free(&content);
}

/* A matrix without a mesh keeps the numbers that its rows had, through orders and files. */
static void test_original(void **state)
{
    static const int32_t first[] = {3, 0, 4, 1, 2};
    static const int32_t second[] = {1, 2, 0, 4, 3};
    static const int32_t expected[] = {0, 4, 3, 2, 1};
    mesh_file_content_t content = {.matrix = sample_matrix(5, 2, 3)};
    mesh_file_content_t read;
    mesh_matrix_file_t *file;
    mesh_matrix_info_t info;
    int32_t original[5];
    bool is_known = false;
    (void)state;
    assert_true(mesh_order_apply(&content, first, &error));
    assert_true(mesh_order_apply(&content, second, &error));
    assert_true(mesh_file_write(sample_path("o.h5"), &content, &error));
    assert_true(mesh_file_read(sample_path("o.h5"), &read, &error));
    assert_memory_equal(read.matrix.original, expected, sizeof expected);
    assert_true(mesh_matrix_file_open(sample_path("o.h5"), &file, &info, &error));
    assert_true(mesh_matrix_file_read_original(file, &is_known, original, &error));
    assert_true(is_known);
    assert_memory_equal(original, expected, sizeof expected);
    mesh_matrix_file_close(file);
    mesh_file_content_free(&read);
    free(content.matrix.original);
    content.matrix.original = NULL; /* as of an older file */
    assert_true(mesh_order_apply(&content, first, &error));
    assert_null(content.matrix.original);
    assert_true(mesh_file_write(sample_path("o.h5"), &content, &error));
    assert_true(mesh_file_read(sample_path("o.h5"), &read, &error));
    assert_null(read.matrix.original);
    mesh_file_content_free(&read);
    assert_true(mesh_matrix_file_open(sample_path("o.h5"), &file, &info, &error));
    assert_true(mesh_matrix_file_read_original(file, &is_known, original, &error));
    assert_false(is_known);
    mesh_matrix_file_close(file);
    mesh_file_content_free(&content);
}

/* Three threads, blocks of one row, of a cyclic chain: every row needs both neighbours, and they
 * are other threads'. */
static void test_foreign(void **state)
{
    (void)state;
    mesh_matrix_t matrix;
    size_t foreign;
    assert_true(mesh_matrix_alloc(6, 2, &matrix, &error));
    for (size_t i = 0; i < 6; i++) {
        matrix.J[2 * i] = (int32_t)((i + 1) % 6);
        matrix.J[2 * i + 1] = (int32_t)((i + 5) % 6);
    }
    assert_true(mesh_matrix_foreign(&matrix, 3, 1, &foreign, &error));
    assert_int_equal(foreign, 12);
    assert_true(mesh_matrix_foreign(&matrix, 3, 2, &foreign, &error));
    assert_int_equal(foreign, 6);
    assert_true(mesh_matrix_foreign(&matrix, 1, 2, &foreign, &error));
    assert_int_equal(foreign, 0);
    mesh_matrix_free(&matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),     cmocka_unit_test(test_threads),
        cmocka_unit_test(test_mesh_only),   cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_matrix_only), cmocka_unit_test(test_nested_product),
        cmocka_unit_test(test_own_column),  cmocka_unit_test(test_bad_order),
        cmocka_unit_test(test_original),    cmocka_unit_test(test_foreign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
