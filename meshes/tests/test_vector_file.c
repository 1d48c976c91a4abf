/* Vectors for products: written by any program and read by parts, and products written whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample.h"

enum {
    COUNT = 103
};

static mesh_error_t error;

/* As a program that knows nothing of Fathom writes it. */
static void write_x(const char *path, hid_t type, const double *x, hsize_t count)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t dataset = H5Dcreate2(file, "x", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Fclose(file);
}

static void read_whole(const char *path, const char *name, hid_t type, void *values)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
    H5Fclose(file);
}

static void fill(double *x)
{
    uint64_t seed = 5;
    for (size_t i = 0; i < COUNT; i++)
        x[i] = sample_random(&seed);
}

static void test_read(void **state)
{
    static const size_t blocks[] = {1, 7, 35, 103, 1000};
    double x[COUNT];
    double part[COUNT];
    uint64_t digest;
    const char *path = sample_path("x.h5");
    (void)state;
    fill(x);
    write_x(path, H5T_IEEE_F64BE, x, COUNT);
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++)
        for (size_t threads = 1; threads < 5; threads++)
            for (size_t thread = 0; thread < threads; thread++) {
                size_t at = 0;
                if (!mesh_vector_read_cyclic(path, COUNT, blocks[b], thread, threads, part, &digest,
                                             &error))
                    fail_msg("%s", error.text);
                for (size_t i = 0; i < COUNT; i++)
                    if (i / blocks[b] % threads == thread)
                        assert_memory_equal(&part[at++], &x[i], sizeof x[i]);
            }
}

/* The digest that one of four threads gets. */
static uint64_t digest_of(const char *path, size_t count, size_t thread)
{
    uint64_t digest = 0;
    double *part = malloc(count * sizeof *part);
    if (!mesh_vector_read_cyclic(path, count, (count + 3) / 4, thread, 4, part, &digest, &error))
        fail_msg("%s", error.text);
    free(part);
    return digest;
}

/* All threads of a file have the same digest, whoever wrote it and in whatever order of bytes, and
 * those of another file another one, wherever it differs. */
static void test_digest(void **state)
{
    enum {
        MANY = 200000 /* some pieces, and several reads of pieces */
    };
    static const size_t places[] = {0, 1, 8191, 8192, 65535, 65536, 131072, MANY - 1};
    const char *path = sample_path("x.h5");
    double *x = malloc(MANY * sizeof *x);
    uint64_t seed = 6;
    (void)state;
    for (size_t i = 0; i < MANY; i++)
        x[i] = sample_random(&seed);
    write_x(path, H5T_IEEE_F64LE, x, MANY);
    uint64_t digest = digest_of(path, MANY, 0);
    for (size_t thread = 1; thread < 4; thread++)
        assert_true(digest_of(path, MANY, thread) == digest);
    write_x(path, H5T_IEEE_F64BE, x, MANY);
    assert_true(digest_of(path, MANY, 1) == digest);
    mesh_product_t product = {MANY, 1, x, x, NULL, "a test"};
    if (!mesh_product_write(path, &product, &error))
        fail_msg("%s", error.text);
    assert_true(digest_of(path, MANY, 2) == digest);
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        x[places[p]] += 1.0;
        write_x(path, H5T_IEEE_F64LE, x, MANY);
        x[places[p]] -= 1.0;
        for (size_t thread = 0; thread < 4; thread++)
            assert_false(digest_of(path, MANY, thread) == digest);
    }
    unlink(path);
    free(x);
}

static void refuse(size_t count, const char *expected)
{
    double x[COUNT];
    uint64_t digest;
    if (mesh_vector_read_cyclic(sample_path("x.h5"), count, COUNT, 0, 1, x, &digest, &error))
        fail_msg("accepted, where '%s' was expected", expected);
    if (strstr(error.text, expected) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, expected);
}

static void test_bad(void **state)
{
    double x[COUNT];
    const char *path = sample_path("x.h5");
    (void)state;
    unlink(path);
    refuse(COUNT, "cannot be opened: No such file");
    fill(x);
    write_x(path, H5T_IEEE_F64LE, x, COUNT);
    refuse(COUNT - 1, "dataset /x: has 103 elements, the matrix 102 rows");
    write_x(path, H5T_IEEE_F32LE, x, COUNT);
    refuse(COUNT, "dataset /x: its elements are not 64-bit reals");
    x[70] = NAN;
    write_x(path, H5T_IEEE_F64LE, x, COUNT);
    refuse(COUNT, "dataset /x: not all of its elements are finite");
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    refuse(COUNT, "dataset /x: is missing");
    unlink(path);
}

static void test_product(void **state)
{
    double x[COUNT];
    double y[COUNT];
    double found[COUNT];
    int32_t original[COUNT];
    int32_t found_original[COUNT];
    uint64_t digest;
    const char *path = sample_path("p.h5");
    mesh_product_t product = {COUNT, 3, x, y, original, "a test"};
    (void)state;
    fill(x);
    for (size_t i = 0; i < COUNT; i++) {
        y[i] = 2.0 * x[i];
        original[i] = (int32_t)(COUNT - 1 - i);
    }
    if (!mesh_product_write(path, &product, &error))
        fail_msg("%s", error.text);
    read_whole(path, "/y", H5T_NATIVE_DOUBLE, found);
    assert_memory_equal(found, y, sizeof y);
    read_whole(path, "/original", H5T_NATIVE_INT32, found_original);
    assert_memory_equal(found_original, original, sizeof original);
    assert_true(mesh_vector_read_cyclic(path, COUNT, COUNT, 0, 1, found, &digest, &error));
    assert_memory_equal(found, x, sizeof x);
    unlink(path);
    y[102] = INFINITY;
    assert_false(mesh_product_write(path, &product, &error));
    assert_non_null(strstr(error.text, "dataset /y: not all of its elements are finite"));
    assert_int_not_equal(access(path, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_digest),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_product),
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
