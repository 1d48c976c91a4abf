#include "meshes/vector_file.h"

#include <math.h>

#include "dataset.h"
#include "fail.h"
#include "hdf5_io.h"
#include "meshes/matrix_file.h"
#include "meshes/temporary.h"

static bool check_finite(const char *path, const char *name, const double *values, size_t count,
                         mesh_error_t *error)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return meshi_fail(error, "%s: dataset %s: not all of its elements are finite", path,
                              name);
    return true;
}

static bool read_owned(const meshi_dataset_t *dataset, size_t block, size_t thread, size_t threads,
                       double *values, mesh_error_t *error)
{
    size_t owned = mesh_matrix_file_cyclic_rows(dataset->rows, block, thread, threads);
    size_t blocks = owned / block;
    size_t tail = owned % block;
    meshi_rows_t full = {thread * block, threads * block, block, blocks};
    meshi_rows_t last = {(thread + blocks * threads) * block, tail, tail, 1};
    return meshi_dataset_read(dataset, full, values, error) &&
           meshi_dataset_read(dataset, last, values + blocks * block, error) &&
           check_finite(dataset->path, dataset->name, values, owned, error);
}

bool mesh_vector_read_cyclic(const char *path, size_t count, size_t block, size_t thread,
                             size_t threads, double *values, uint64_t *digest, mesh_error_t *error)
{
    hid_t file;
    meshi_dataset_t dataset;
    bool read = false;
    if (block == 0 || thread >= threads)
        return meshi_fail(error, "%s: blocks of %zu elements for thread %zu of %zu make no sense",
                          path, block, thread, threads);
    if (!meshi_hdf5_open_any(path, &file, error))
        return false;
    if (!meshi_dataset_open(file, path, "/x", MESHI_REAL64, 1, &dataset, error))
        goto close_file;
    if (dataset.rows != count)
        (void)meshi_fail(error, "%s: dataset /x: has %zu elements, the matrix %zu rows", path,
                         dataset.rows, count);
    else
        read = meshi_dataset_add_checksums(&dataset, error) &&
               read_owned(&dataset, block, thread, threads, values, error);
    if (read)
        *digest = meshi_dataset_add_to_digest(&dataset, 0);
    meshi_dataset_close(&dataset);
close_file:
    H5Fclose(file);
    return read;
}

static bool write_datasets(hid_t file, const char *path, const mesh_product_t *product,
                           mesh_error_t *error)
{
    size_t rows = product->rows;
    if (!meshi_hdf5_write(file, path, "/x", MESHI_REAL64, rows, 0, product->x, error) ||
        !meshi_hdf5_write(file, path, "/y", MESHI_REAL64, rows, 0, product->y, error))
        return false;
    if (product->original != NULL &&
        !meshi_hdf5_write(file, path, "/original", MESHI_INT32, rows, 0, product->original, error))
        return false;
    if (!meshi_hdf5_write_text(file, "source", product->source) ||
        !meshi_hdf5_write_whole(file, "products", (int64_t)product->products))
        return meshi_fail(error, "%s: its attributes cannot be written", path);
    return true;
}

static bool write_product(const char *path, const void *product, mesh_error_t *error)
{
    hid_t file;
    if (!meshi_hdf5_create(path, "fathom-product", MESH_PRODUCT_VERSION, &file, error))
        return false;
    bool written = write_datasets(file, path, product, error);
    return meshi_hdf5_close(file, path, written, error);
}

bool mesh_product_write(const char *path, const mesh_product_t *product, mesh_error_t *error)
{
    return check_finite(path, "/x", product->x, product->rows, error) &&
           check_finite(path, "/y", product->y, product->rows, error) &&
           meshi_hdf5_start(path, error) &&
           mesh_temporary_write(path, write_product, product, error);
}
