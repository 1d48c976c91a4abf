#include "meshes/matrix_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dataset.h"
#include "fail.h"
#include "hdf5_io.h"
#include "matrix_within.h"

struct mesh_matrix_file {
    hid_t file;
    meshi_dataset_t D;
    meshi_dataset_t A;
    meshi_dataset_t J;
    mesh_matrix_info_t info;
    char *path;
};

static bool open_datasets(mesh_matrix_file_t *opened, mesh_error_t *error)
{
    hid_t file = opened->file;
    const char *path = opened->path;
    const meshi_dataset_t *D = &opened->D;
    const meshi_dataset_t *A = &opened->A;
    const meshi_dataset_t *J = &opened->J;
    bool has_matrix;
    if (!meshi_hdf5_find(file, path, "/matrix", &has_matrix, error))
        return false;
    if (!has_matrix)
        return meshi_fail(error, "%s: holds no matrix: group /matrix is missing", path);
    if (!meshi_dataset_open(file, path, "/matrix/D", MESHI_REAL64, 1, &opened->D, error) ||
        !meshi_dataset_open(file, path, "/matrix/A", MESHI_REAL64, 2, &opened->A, error) ||
        !meshi_dataset_open(file, path, "/matrix/J", MESHI_INT32, 2, &opened->J, error))
        return false;
    if (D->rows > INT32_MAX)
        return meshi_fail(error, "%s: dataset /matrix/D: %zu rows are more than %d", path, D->rows,
                          INT32_MAX);
    if (A->rows != D->rows)
        return meshi_fail(error, "%s: dataset /matrix/A: has %zu rows, /matrix/D %zu", path,
                          A->rows, D->rows);
    if (J->rows != A->rows || J->width != A->width)
        return meshi_fail(error, "%s: dataset /matrix/J: is %zu x %zu, /matrix/A %zu x %zu", path,
                          J->rows, J->width, A->rows, A->width);
    uint64_t digest = meshi_dataset_add_to_digest(D, 0);
    digest = meshi_dataset_add_to_digest(A, digest);
    digest = meshi_dataset_add_to_digest(J, digest);
    opened->info = (mesh_matrix_info_t){
        .rows = A->rows,
        .row_nonzeros = A->width,
        .digest = digest,
    };
    return true;
}

bool meshi_matrix_within(hid_t within, const char *path, mesh_matrix_file_t **file,
                         mesh_matrix_info_t *info, mesh_error_t *error)
{
    mesh_matrix_file_t *opened = malloc(sizeof *opened);
    char *name = strdup(path);
    if (opened == NULL || name == NULL) {
        free(name);
        free(opened);
        return meshi_fail_memory(error, "an open file", sizeof *opened + strlen(path) + 1);
    }
    *opened = (mesh_matrix_file_t){.file = H5Freopen(within), .path = name};
    bool is_open = opened->file >= 0;
    if (!is_open)
        (void)meshi_fail(error, "%s: HDF5 cannot open it once more", path);
    if (!is_open || !open_datasets(opened, error)) {
        mesh_matrix_file_close(opened);
        return false;
    }
    *info = opened->info;
    *file = opened;
    return true;
}

bool mesh_matrix_file_open(const char *path, mesh_matrix_file_t **file, mesh_matrix_info_t *info,
                           mesh_error_t *error)
{
    hid_t opened;
    if (!meshi_hdf5_open(path, &opened, error))
        return false;
    bool done = meshi_matrix_within(opened, path, file, info, error);
    H5Fclose(opened);
    return done;
}

static size_t row_in_file(meshi_rows_t rows, size_t i)
{
    return rows.first + (i / rows.block) * rows.stride + i % rows.block;
}

static bool check_reals(const mesh_matrix_file_t *file, const char *name, meshi_rows_t rows,
                        size_t width, const double *values, mesh_error_t *error)
{
    size_t count = rows.blocks * rows.block * width;
    for (size_t e = 0; e < count; e++)
        if (!isfinite(values[e]))
            return meshi_fail(error, "%s: dataset %s: row %zu (0-based) holds %f", file->path, name,
                              row_in_file(rows, e / width), values[e]);
    return true;
}

static bool check_columns(const mesh_matrix_file_t *file, meshi_rows_t rows, const int32_t *J,
                          mesh_error_t *error)
{
    size_t width = file->info.row_nonzeros;
    size_t count = rows.blocks * rows.block * width;
    for (size_t e = 0; e < count; e++)
        if (J[e] < 0 || (size_t)J[e] >= file->info.rows)
            return meshi_fail(error,
                              "%s: dataset /matrix/J: row %zu (0-based) names column %d of a "
                              "matrix with %zu columns",
                              file->path, row_in_file(rows, e / width), J[e], file->info.rows);
    return true;
}

static bool read_rows(mesh_matrix_file_t *file, meshi_rows_t rows, double *D, double *A, int32_t *J,
                      mesh_error_t *error)
{
    size_t width = file->info.row_nonzeros;
    if (rows.blocks == 0 || rows.block == 0)
        return true;
    if (D != NULL && !(meshi_dataset_read(&file->D, rows, D, error) &&
                       check_reals(file, "/matrix/D", rows, 1, D, error)))
        return false;
    if (A != NULL && !(meshi_dataset_read(&file->A, rows, A, error) &&
                       check_reals(file, "/matrix/A", rows, width, A, error)))
        return false;
    return J == NULL ||
           (meshi_dataset_read(&file->J, rows, J, error) && check_columns(file, rows, J, error));
}

bool mesh_matrix_file_read_rows(mesh_matrix_file_t *file, size_t first, size_t count, double *D,
                                double *A, int32_t *J, mesh_error_t *error)
{
    size_t rows = file->info.rows;
    if (first > rows || count > rows - first)
        return meshi_fail(error, "%s: rows %zu to %zu asked for, the matrix has %zu", file->path,
                          first, first + count, rows);
    return read_rows(file, (meshi_rows_t){first, count, count, 1}, D, A, J, error);
}

size_t mesh_matrix_file_cyclic_rows(size_t rows, size_t block, size_t thread, size_t threads)
{
    size_t full_blocks = rows / block;
    size_t owned = full_blocks / threads + (thread < full_blocks % threads);
    size_t tail = thread == full_blocks % threads ? rows % block : 0;
    return owned * block + tail;
}

bool mesh_matrix_file_read_cyclic(mesh_matrix_file_t *file, size_t block, size_t thread,
                                  size_t threads, double *D, double *A, int32_t *J,
                                  mesh_error_t *error)
{
    if (block == 0 || thread >= threads)
        return meshi_fail(error, "%s: blocks of %zu rows for thread %zu of %zu make no sense",
                          file->path, block, thread, threads);
    size_t owned = mesh_matrix_file_cyclic_rows(file->info.rows, block, thread, threads);
    size_t blocks = owned / block;
    size_t tail = owned % block;
    size_t body = blocks * block;
    meshi_rows_t full = {thread * block, threads * block, block, blocks};
    if (blocks > 0 && !read_rows(file, full, D, A, J, error))
        return false;
    if (tail == 0)
        return true;
    size_t width = file->info.row_nonzeros;
    meshi_rows_t last = {(thread + blocks * threads) * block, tail, tail, 1};
    return read_rows(file, last, D != NULL ? D + body : NULL, A != NULL ? A + body * width : NULL,
                     J != NULL ? J + body * width : NULL, error);
}

bool mesh_matrix_file_read_original(mesh_matrix_file_t *file, bool *is_known, int32_t *original,
                                    mesh_error_t *error)
{
    size_t rows = file->info.rows;
    bool has_mesh;
    bool has_own;
    if (!meshi_hdf5_find(file->file, file->path, "/mesh", &has_mesh, error) ||
        !meshi_hdf5_find(file->file, file->path, "/matrix/original", &has_own, error))
        return false;
    const char *name = has_mesh ? "/mesh/original" : "/matrix/original";
    if (!has_mesh && !has_own) {
        *is_known = false;
        return true;
    }
    if (!meshi_dataset_read_all(file->file, file->path, name, MESHI_INT32, rows, 0, original,
                                error))
        return false;
    for (size_t i = 0; i < rows; i++)
        if (original[i] < 0 || (size_t)original[i] >= rows)
            return meshi_fail(error, "%s: dataset %s: row %zu (0-based) holds %d, of %zu",
                              file->path, name, i, original[i], rows);
    *is_known = true;
    return true;
}

void mesh_matrix_file_close(mesh_matrix_file_t *file)
{
    if (file == NULL)
        return;
    meshi_dataset_close(&file->J);
    meshi_dataset_close(&file->A);
    meshi_dataset_close(&file->D);
    if (file->file >= 0)
        H5Fclose(file->file);
    free(file->path);
    free(file);
}
