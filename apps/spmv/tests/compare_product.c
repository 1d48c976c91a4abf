/* Compares what fathom-spmv writes by --y with a product computed here: from the Matrix Market
 * file, with a dense matrix, and reading HDF5 by HDF5 alone.
 * usage: compare_product make X.h5 ROWS LAST | compare_product MATRIX.mtx Y.h5 PRODUCTS [X.h5] */
#include <hdf5.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MAX = 200
};

static double M[ROWS_MAX][ROWS_MAX];

#define fail(...) (fprintf(stderr, "compare_product: " __VA_ARGS__), fputs("\n", stderr), exit(1))

static size_t read_matrix(const char *path)
{
    char line[256];
    FILE *in = fopen(path, "r");
    size_t rows = 0;
    size_t i;
    size_t j;
    double value;
    if (in == NULL || fgets(line, sizeof line, in) == NULL ||
        strcmp(line, "%%MatrixMarket matrix coordinate real general\n") != 0 ||
        fscanf(in, "%zu %*u %*u", &rows) != 1 || rows > ROWS_MAX)
        fail("%s is no matrix for this test", path);
    while (fscanf(in, "%zu %zu %lf", &i, &j, &value) == 3)
        M[i - 1][j - 1] += value;
    fclose(in);
    return rows;
}

static void read_dataset(const char *path, const char *name, hid_t type, size_t rows, void *values)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t space = H5Dget_space(dataset);
    if (H5Sget_simple_extent_npoints(space) != (hssize_t)rows ||
        H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        fail("%s: dataset %s is not there or has not %zu elements", path, name, rows);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
}

/* The last element is `last`. */
static void make(const char *path, hsize_t rows, double last)
{
    double x[ROWS_MAX];
    if (rows == 0 || rows > ROWS_MAX)
        fail("no rows, or too many");
    for (size_t i = 0; i < rows; i++)
        x[i] = sin(0.7 * (double)i) + 0.01 * (double)i;
    x[rows - 1] = last;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &rows, NULL);
    hid_t dataset =
        H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0)
        fail("%s cannot be written", path);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Fclose(file);
}

static void multiply(size_t rows, double *v)
{
    double product[ROWS_MAX] = {0.0};
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < rows; j++)
            product[i] += M[i][j] * v[j];
    memcpy(v, product, rows * sizeof *v);
}

static void compare(const char *matrix, const char *path, size_t products, const char *given)
{
    double x[ROWS_MAX];
    double y[ROWS_MAX];
    double v[ROWS_MAX] = {0.0};
    int32_t original[ROWS_MAX];
    double largest = 0.0;
    size_t rows = read_matrix(matrix);
    read_dataset(path, "x", H5T_NATIVE_DOUBLE, rows, x);
    read_dataset(path, "y", H5T_NATIVE_DOUBLE, rows, y);
    read_dataset(path, "original", H5T_NATIVE_INT32, rows, original);
    if (given != NULL)
        read_dataset(given, "x", H5T_NATIVE_DOUBLE, rows, v);
    if (given != NULL && memcmp(v, x, rows * sizeof *x) != 0)
        fail("%s: /x is not that of %s", path, given);
    for (size_t i = 0; i < rows; i++)
        v[original[i]] = x[i];
    for (size_t p = 0; p < products; p++)
        multiply(rows, v);
    for (size_t i = 0; i < rows; i++)
        largest = fmax(largest, fabs(v[i]));
    for (size_t i = 0; i < rows; i++)
        if (!(fabs(y[i] - v[original[i]]) <= 1e-13 * largest))
            fail("%s: row %zu is %.17g, not %.17g", path, i, y[i], v[original[i]]);
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "make") == 0)
        make(argv[2], strtoull(argv[3], NULL, 10), strtod(argv[4], NULL));
    else if (argc == 4 || argc == 5)
        compare(argv[1], argv[2], strtoull(argv[3], NULL, 10), argc == 5 ? argv[4] : NULL);
    else
        fail("three or four arguments");
    return 0;
}
