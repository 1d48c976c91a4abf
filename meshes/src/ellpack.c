#include "meshes/matrix.h"

#include <stdlib.h>

#include "fail.h"
#include "memory.h"

bool mesh_matrix_alloc(size_t rows, size_t row_nonzeros, mesh_matrix_t *matrix, mesh_error_t *error)
{
    if (rows == 0 || rows > INT32_MAX)
        return meshi_fail(error, "a matrix of %zu rows: from 1 to %d are possible", rows,
                          INT32_MAX);
    if (row_nonzeros == 0 || row_nonzeros > SIZE_MAX / 16 / rows)
        return meshi_fail(error, "a matrix with %zu off-diagonals per row cannot be stored",
                          row_nonzeros);
    size_t entries = rows * row_nonzeros;
    size_t nbytes =
        rows * (sizeof(double) + sizeof(int32_t)) + entries * (sizeof(double) + sizeof(int32_t));
    mesh_matrix_t made = {.rows = rows, .row_nonzeros = row_nonzeros};
    if (!meshi_memory_exists(nbytes))
        return meshi_fail_memory(error, "the matrix", nbytes);
    made.D = calloc(rows, sizeof *made.D);
    made.A = calloc(entries, sizeof *made.A);
    made.J = malloc(entries * sizeof *made.J);
    made.original = malloc(rows * sizeof *made.original);
    if (made.D == NULL || made.A == NULL || made.J == NULL || made.original == NULL) {
        mesh_matrix_free(&made);
        return meshi_fail_memory(error, "the matrix", nbytes);
    }
    for (size_t i = 0, e = 0; i < rows; i++) {
        made.original[i] = (int32_t)i;
        for (size_t k = 0; k < row_nonzeros; k++)
            made.J[e++] = (int32_t)i;
    }
    *matrix = made;
    return true;
}

void mesh_matrix_free(mesh_matrix_t *matrix)
{
    free(matrix->original);
    free(matrix->J);
    free(matrix->A);
    free(matrix->D);
    *matrix = (mesh_matrix_t){0};
}

size_t mesh_matrix_offdiagonals(const mesh_matrix_t *matrix)
{
    size_t count = 0;
    for (size_t i = 0, e = 0; i < matrix->rows; i++)
        for (size_t k = 0; k < matrix->row_nonzeros; k++)
            count += (size_t)matrix->J[e++] != i;
    return count;
}

mesh_bandwidth_t mesh_matrix_bandwidth(const mesh_matrix_t *matrix)
{
    mesh_bandwidth_t width = {0, 0.0};
    size_t count = 0;
    uint64_t sum = 0;
    for (size_t i = 0, e = 0; i < matrix->rows; i++)
        for (size_t k = 0; k < matrix->row_nonzeros; k++) {
            size_t j = (size_t)matrix->J[e++];
            size_t distance = i > j ? i - j : j - i;
            count += distance > 0;
            sum += distance;
            if (distance > width.largest)
                width.largest = distance;
        }
    if (count > 0)
        width.mean = (double)sum / (double)count;
    return width;
}

static size_t foreign_of_row(const mesh_matrix_t *matrix, size_t row, size_t threads, size_t block,
                             size_t thread, int32_t *seen_by)
{
    size_t foreign = 0;
    const int32_t *J = matrix->J + row * matrix->row_nonzeros;
    for (size_t k = 0; k < matrix->row_nonzeros; k++) {
        size_t j = (size_t)J[k];
        if (seen_by[j] == (int32_t)thread || (j / block) % threads == thread)
            continue;
        seen_by[j] = (int32_t)thread;
        foreign++;
    }
    return foreign;
}

bool mesh_matrix_foreign(const mesh_matrix_t *matrix, size_t threads, size_t block, size_t *foreign,
                         mesh_error_t *error)
{
    int32_t *seen_by = malloc(matrix->rows * sizeof *seen_by);
    if (seen_by == NULL)
        return meshi_fail_memory(error, "counting foreign cells", matrix->rows * sizeof *seen_by);
    for (size_t i = 0; i < matrix->rows; i++)
        seen_by[i] = -1;
    size_t total = 0;
    for (size_t thread = 0; thread < threads && thread * block < matrix->rows; thread++)
        for (size_t first = thread * block; first < matrix->rows; first += threads * block) {
            size_t left = matrix->rows - first;
            size_t end = first + (left < block ? left : block);
            for (size_t i = first; i < end; i++)
                total += foreign_of_row(matrix, i, threads, block, thread, seen_by);
        }
    free(seen_by);
    *foreign = total;
    return true;
}

void mesh_matrix_multiply(const mesh_matrix_t *matrix, const double *x, double *y)
{
    size_t width = matrix->row_nonzeros;
    for (size_t i = 0; i < matrix->rows; i++) {
        const double *A = matrix->A + i * width;
        const int32_t *J = matrix->J + i * width;
        double sum = 0.0;
        for (size_t k = 0; k < width; k++)
            sum += A[k] * x[J[k]];
        y[i] = matrix->D[i] * x[i] + sum;
    }
}
