#include "meshes/mesh_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset.h"
#include "fail.h"
#include "hdf5_io.h"
#include "matrix_within.h"
#include "meshes/matrix_file.h"
#include "meshes/temporary.h"

static bool check_reals(const char *path, const char *name, const double *values, size_t rows,
                        size_t width, double least, mesh_error_t *error)
{
    for (size_t e = 0; e < rows * width; e++)
        if (!isfinite(values[e]) || values[e] <= least)
            return meshi_fail(error, "%s: dataset %s: row %zu (0-based) holds %g", path, name,
                              e / width, values[e]);
    return true;
}

static bool check_numbers(const char *path, const char *name, const int32_t *numbers, size_t rows,
                          size_t width, int32_t least, size_t end, mesh_error_t *error)
{
    for (size_t e = 0; e < rows * width; e++)
        if (numbers[e] < least || numbers[e] >= (int64_t)end)
            return meshi_fail(error, "%s: dataset %s: row %zu (0-based) holds %d, of %zu", path,
                              name, e / width, numbers[e], end);
    return true;
}

/* Whether the cell has named `names[k]` before; -1 is no name. */
static bool is_twice(const int32_t *names, size_t k)
{
    for (size_t l = 0; l < k; l++)
        if (names[k] >= 0 && names[l] == names[k])
            return true;
    return false;
}

/* Of two neighbours each is the other's, once: orders and searches go from cell to cell and back,
 * and METIS crashes over a graph with double edges. */
static bool check_mutual(const char *path, const int32_t *neighbours, size_t n, mesh_error_t *error)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 4; k++) {
            int32_t j = neighbours[4 * i + k];
            const int32_t *theirs = neighbours + 4 * (size_t)(j >= 0 ? j : 0);
            if (j >= 0 && (size_t)j == i)
                return meshi_fail(error,
                                  "%s: dataset /mesh/neighbours: cell %zu (0-based) names itself",
                                  path, i);
            if (is_twice(neighbours + 4 * i, k))
                return meshi_fail(error,
                                  "%s: dataset /mesh/neighbours: cell %zu (0-based) names cell %d "
                                  "twice",
                                  path, i, j);
            if (j >= 0 && (size_t)theirs[0] != i && (size_t)theirs[1] != i &&
                (size_t)theirs[2] != i && (size_t)theirs[3] != i)
                return meshi_fail(error,
                                  "%s: dataset /mesh/neighbours: cell %zu (0-based) names cell %d, "
                                  "which does not name it",
                                  path, i, j);
        }
    return true;
}

static bool check_volume(const char *path, const mesh_geometry_t *mesh, mesh_error_t *error)
{
    if (isfinite(mesh_geometry_volume(mesh)))
        return true;
    return meshi_fail(error, "%s: dataset /mesh/volumes: its sum is not finite", path);
}

static bool check_mesh(const char *path, const mesh_geometry_t *mesh, mesh_error_t *error)
{
    size_t n = mesh->cells;
    return check_reals(path, "/mesh/points", mesh->xyz, mesh->points, 3, -INFINITY, error) &&
           check_numbers(path, "/mesh/cells", mesh->corners, n, 4, 0, mesh->points, error) &&
           check_numbers(path, "/mesh/neighbours", mesh->neighbours, n, 4, -1, n, error) &&
           check_mutual(path, mesh->neighbours, n, error) &&
           check_reals(path, "/mesh/volumes", mesh->volumes, n, 1, 0.0, error) &&
           check_volume(path, mesh, error) &&
           check_numbers(path, "/mesh/original", mesh->original, n, 1, 0, n, error);
}

static bool check_matrix(const char *path, const mesh_matrix_t *matrix, mesh_error_t *error)
{
    size_t n = matrix->rows;
    size_t width = matrix->row_nonzeros;
    if (!isfinite(matrix->time_step) || matrix->time_step < 0.0)
        return meshi_fail(error, "%s: attribute 'time_step' is %g", path, matrix->time_step);
    return check_reals(path, "/matrix/D", matrix->D, n, 1, -INFINITY, error) &&
           check_reals(path, "/matrix/A", matrix->A, n, width, -INFINITY, error) &&
           check_numbers(path, "/matrix/J", matrix->J, n, width, 0, n, error) &&
           (matrix->original == NULL ||
            check_numbers(path, "/matrix/original", matrix->original, n, 1, 0, n, error));
}

/* What a reader looks at before the numbers. */
static bool check_whole(const char *path, const mesh_file_content_t *content, mesh_error_t *error)
{
    size_t cells = content->mesh.cells;
    size_t rows = content->matrix.rows;
    if (cells == 0 && rows == 0)
        return meshi_fail(error, "%s: holds neither a mesh nor a matrix", path);
    if (cells > 0 && rows > 0 && cells != rows)
        return meshi_fail(error, "%s: dataset /matrix/D: has %zu rows for %zu cells", path, rows,
                          cells);
    if (rows > 0 && content->matrix.row_nonzeros == 0)
        return meshi_fail(error, "%s: dataset /matrix/A: has rows of no places", path);
    return true;
}

static bool write_mesh(hid_t file, const char *path, const mesh_geometry_t *mesh,
                       mesh_error_t *error)
{
    size_t n = mesh->cells;
    return meshi_hdf5_write(file, path, "/mesh/points", MESHI_REAL64, mesh->points, 3, mesh->xyz,
                            error) &&
           meshi_hdf5_write(file, path, "/mesh/cells", MESHI_INT32, n, 4, mesh->corners, error) &&
           meshi_hdf5_write(file, path, "/mesh/neighbours", MESHI_INT32, n, 4, mesh->neighbours,
                            error) &&
           meshi_hdf5_write(file, path, "/mesh/volumes", MESHI_REAL64, n, 0, mesh->volumes,
                            error) &&
           meshi_hdf5_write(file, path, "/mesh/original", MESHI_INT32, n, 0, mesh->original, error);
}

static bool write_matrix(hid_t file, const char *path, const mesh_matrix_t *matrix,
                         mesh_error_t *error)
{
    size_t n = matrix->rows;
    size_t width = matrix->row_nonzeros;
    if (!meshi_hdf5_write(file, path, "/matrix/D", MESHI_REAL64, n, 0, matrix->D, error) ||
        !meshi_hdf5_write(file, path, "/matrix/A", MESHI_REAL64, n, width, matrix->A, error) ||
        !meshi_hdf5_write(file, path, "/matrix/J", MESHI_INT32, n, width, matrix->J, error))
        return false;
    if (!meshi_hdf5_write_real(file, "/matrix", "time_step", matrix->time_step))
        return meshi_fail(error, "%s: attribute 'time_step' cannot be written", path);
    return true;
}

/* If there is a mesh, its cells have the numbers of the rows. */
static bool write_original(hid_t file, const char *path, const mesh_matrix_t *matrix,
                           mesh_error_t *error)
{
    return matrix->original == NULL || meshi_hdf5_write(file, path, "/matrix/original", MESHI_INT32,
                                                        matrix->rows, 0, matrix->original, error);
}

static bool write_content(const char *path, const void *what, mesh_error_t *error)
{
    const mesh_file_content_t *content = what;
    hid_t file;
    if (!meshi_hdf5_create(path, "fathom-mesh", MESH_FILE_VERSION, &file, error))
        return false;
    bool written = meshi_hdf5_write_text(file, "source", content->source);
    if (!written)
        (void)meshi_fail(error, "%s: attribute 'source' cannot be written", path);
    if (written && content->mesh.cells > 0)
        written = write_mesh(file, path, &content->mesh, error);
    if (written && content->matrix.rows > 0)
        written = write_matrix(file, path, &content->matrix, error) &&
                  (content->mesh.cells > 0 || write_original(file, path, &content->matrix, error));
    return meshi_hdf5_close(file, path, written, error);
}

bool mesh_file_write(const char *path, const mesh_file_content_t *content, mesh_error_t *error)
{
    if (!check_whole(path, content, error))
        return false;
    if (content->mesh.cells > 0 && !check_mesh(path, &content->mesh, error))
        return false;
    if (content->matrix.rows > 0 && !check_matrix(path, &content->matrix, error))
        return false;
    return meshi_hdf5_start(path, error) &&
           mesh_temporary_write(path, write_content, content, error);
}

static bool get_rows(hid_t file, const char *path, const char *name, meshi_number_t number,
                     size_t *rows, mesh_error_t *error)
{
    meshi_dataset_t dataset;
    if (!meshi_dataset_open(file, path, name, number, 2, &dataset, error))
        return false;
    *rows = dataset.rows;
    meshi_dataset_close(&dataset);
    return true;
}

static bool read_mesh(hid_t file, const char *path, mesh_geometry_t *mesh, mesh_error_t *error)
{
    size_t points;
    size_t cells;
    mesh_geometry_t read;
    if (!get_rows(file, path, "/mesh/points", MESHI_REAL64, &points, error) ||
        !get_rows(file, path, "/mesh/cells", MESHI_INT32, &cells, error) ||
        !mesh_geometry_alloc(points, cells, &read, error))
        return false;
    if (!meshi_dataset_read_all(file, path, "/mesh/points", MESHI_REAL64, points, 3, read.xyz,
                                error) ||
        !meshi_dataset_read_all(file, path, "/mesh/cells", MESHI_INT32, cells, 4, read.corners,
                                error) ||
        !meshi_dataset_read_all(file, path, "/mesh/neighbours", MESHI_INT32, cells, 4,
                                read.neighbours, error) ||
        !meshi_dataset_read_all(file, path, "/mesh/volumes", MESHI_REAL64, cells, 0, read.volumes,
                                error) ||
        !meshi_dataset_read_all(file, path, "/mesh/original", MESHI_INT32, cells, 0, read.original,
                                error) ||
        !check_mesh(path, &read, error)) {
        mesh_geometry_free(&read);
        return false;
    }
    *mesh = read;
    return true;
}

static bool read_matrix(hid_t within, const char *path, mesh_matrix_t *matrix, mesh_error_t *error)
{
    mesh_matrix_file_t *file;
    mesh_matrix_info_t info;
    mesh_matrix_t read;
    if (!meshi_matrix_within(within, path, &file, &info, error))
        return false;
    bool done = mesh_matrix_alloc(info.rows, info.row_nonzeros, &read, error);
    bool has_original = false;
    if (done && (!mesh_matrix_file_read_rows(file, 0, info.rows, read.D, read.A, read.J, error) ||
                 !mesh_matrix_file_read_original(file, &has_original, read.original, error))) {
        mesh_matrix_free(&read);
        done = false;
    }
    mesh_matrix_file_close(file);
    if (!done)
        return false;
    if (!has_original) {
        free(read.original);
        read.original = NULL;
    }
    *matrix = read;
    return true;
}

/* Of a matrix that has one. */
static bool read_time_step(hid_t file, const char *path, double *time_step, mesh_error_t *error)
{
    static const char name[] = "time_step";
    *time_step = 0.0;
    if (H5Aexists_by_name(file, "/matrix", name, H5P_DEFAULT) == 0)
        return true;
    if (meshi_hdf5_read_real(file, "/matrix", name, time_step) && *time_step >= 0.0)
        return true;
    return meshi_fail(error, "%s: attribute '%s' of /matrix is not a finite number from 0 on", path,
                      name);
}

static bool read_parts(hid_t file, const char *path, mesh_file_content_t *content,
                       mesh_error_t *error)
{
    bool has_mesh;
    bool has_matrix;
    if (!meshi_hdf5_find(file, path, "/mesh", &has_mesh, error) ||
        !meshi_hdf5_find(file, path, "/matrix", &has_matrix, error) ||
        !meshi_hdf5_find(file, path, MESHI_CHECKSUMS, &content->has_checksums, error))
        return false;
    if (!has_mesh && !has_matrix)
        return meshi_fail(error, "%s: holds neither a group /mesh nor a group /matrix", path);
    if (has_mesh && !read_mesh(file, path, &content->mesh, error))
        return false;
    if (has_matrix && (!read_matrix(file, path, &content->matrix, error) ||
                       !read_time_step(file, path, &content->matrix.time_step, error)))
        return false;
    if (has_mesh && has_matrix && content->mesh.cells != content->matrix.rows)
        return meshi_fail(error, "%s: dataset /matrix/D: has %zu rows for %zu cells", path,
                          content->matrix.rows, content->mesh.cells);
    if (!meshi_hdf5_read_text(file, "source", content->source, sizeof content->source))
        content->source[0] = '\0';
    return true;
}

bool mesh_file_read(const char *path, mesh_file_content_t *content, mesh_error_t *error)
{
    hid_t file;
    mesh_file_content_t read = {0};
    if (!meshi_hdf5_open(path, &file, error))
        return false;
    bool done = read_parts(file, path, &read, error);
    H5Fclose(file);
    if (!done) {
        mesh_file_content_free(&read);
        return false;
    }
    *content = read;
    return true;
}

void mesh_file_content_free(mesh_file_content_t *content)
{
    mesh_matrix_free(&content->matrix);
    mesh_geometry_free(&content->mesh);
    content->source[0] = '\0';
    content->has_checksums = false;
}
