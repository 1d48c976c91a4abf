#include "dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "fail.h"
#include "hdf5_io.h"

/* Pieces that are read at once: half a megabyte, still in a cache when its checksums are
 * computed. */
enum {
    PART_PIECES = 8
};

/* The position of a reader of rows. */
typedef struct cursor {
    size_t row; /* the next one */
    size_t run; /* rows left of the run that it is in */
    size_t runs; /* runs left, that one included; 0: all is read */
    char *to; /* where the row goes */
} cursor_t;

static hid_t memory_type(meshi_number_t number)
{
    return number == MESHI_REAL64  ? H5T_NATIVE_DOUBLE
           : number == MESHI_INT32 ? H5T_NATIVE_INT32
                                   : H5T_NATIVE_UINT32;
}

static bool check_type(hid_t dataset, meshi_number_t number)
{
    hid_t type = H5Dget_type(dataset);
    if (type < 0)
        return false;
    bool fits;
    if (number == MESHI_REAL64)
        fits = H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F64BE) > 0;
    else if (number == MESHI_INT32)
        fits = H5Tequal(type, H5T_STD_I32LE) > 0 || H5Tequal(type, H5T_STD_I32BE) > 0;
    else
        fits = H5Tequal(type, H5T_STD_U32LE) > 0 || H5Tequal(type, H5T_STD_U32BE) > 0;
    H5Tclose(type);
    return fits;
}

static bool is_contiguous(hid_t dataset)
{
    hid_t creation = H5Dget_create_plist(dataset);
    if (creation < 0)
        return false;
    bool contiguous =
        H5Pget_layout(creation) == H5D_CONTIGUOUS && H5Pget_external_count(creation) == 0;
    H5Pclose(creation);
    return contiguous;
}

static bool get_extent(hid_t dataset, int rank, size_t *rows, size_t *width)
{
    hid_t space = H5Dget_space(dataset);
    if (space < 0)
        return false;
    hsize_t dims[2] = {0, 1};
    bool fits = H5Sget_simple_extent_type(space) == H5S_SIMPLE &&
                H5Sget_simple_extent_ndims(space) == rank &&
                H5Sget_simple_extent_dims(space, dims, NULL) == rank;
    H5Sclose(space);
    *rows = (size_t)dims[0];
    *width = (size_t)dims[1];
    return fits && *rows > 0 && *width > 0 && *rows <= SIZE_MAX / 16 / *width;
}

static bool is_complete(hid_t file, hid_t dataset, size_t nbytes)
{
    hsize_t file_size;
    haddr_t offset = H5Dget_offset(dataset);
    return offset != HADDR_UNDEF && H5Fget_filesize(file, &file_size) >= 0 && offset <= file_size &&
           nbytes <= file_size - offset;
}

static bool check_dataset(hid_t file, meshi_dataset_t *dataset, int rank, mesh_error_t *error)
{
    static const char *const numbers[] = {[MESHI_REAL64] = "64-bit reals",
                                          [MESHI_INT32] = "signed 32-bit integers",
                                          [MESHI_UINT32] = "unsigned 32-bit integers"};
    const char *path = dataset->path;
    const char *name = dataset->name;
    if (!check_type(dataset->id, dataset->number))
        return meshi_fail(error, "%s: dataset %s: its elements are not %s", path, name,
                          numbers[dataset->number]);
    if (!get_extent(dataset->id, rank, &dataset->rows, &dataset->width))
        return meshi_fail(error, "%s: dataset %s: is not a non-empty array of %d dimension%s", path,
                          name, rank, rank == 1 ? "" : "s");
    if (!is_contiguous(dataset->id))
        return meshi_fail(error,
                          "%s: dataset %s: is not stored contiguously in this file (chunks, "
                          "compression and external storage are not read)",
                          path, name);
    size_t nbytes = dataset->rows * dataset->width * meshi_number_size(dataset->number);
    if (!is_complete(file, dataset->id, nbytes))
        return meshi_fail(error, "%s: dataset %s: the file ends before its %zu bytes do", path,
                          name, nbytes);
    return true;
}

/* Without its checksums. */
static bool open_plain(hid_t file, const char *path, const char *name, meshi_number_t number,
                       int rank, meshi_dataset_t *dataset, mesh_error_t *error)
{
    meshi_dataset_t opened = {.path = path, .name = name, .number = number};
    bool is_there;
    if (!meshi_hdf5_find(file, path, name, &is_there, error))
        return false;
    if (!is_there)
        return meshi_fail(error, "%s: dataset %s: is missing", path, name);
    opened.id = H5Dopen2(file, name, H5P_DEFAULT);
    if (opened.id < 0)
        return meshi_fail(error, "%s: dataset %s: HDF5 cannot open it", path, name);
    if (!check_dataset(file, &opened, rank, error)) {
        H5Dclose(opened.id);
        return false;
    }
    *dataset = opened;
    return true;
}

static size_t row_nbytes(const meshi_dataset_t *dataset)
{
    return dataset->width * meshi_number_size(dataset->number);
}

/* Reads rows that follow each other. */
static bool read_run(const meshi_dataset_t *dataset, size_t first, size_t count, void *data,
                     mesh_error_t *error)
{
    hsize_t start[2] = {first, 0};
    hsize_t length[2] = {count, dataset->width};
    hid_t in_file = H5Dget_space(dataset->id);
    hid_t in_memory = H5Screate_simple(H5Sget_simple_extent_ndims(in_file), length, NULL);
    bool read = in_file >= 0 && in_memory >= 0 &&
                H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, length, NULL) >= 0 &&
                H5Dread(dataset->id, memory_type(dataset->number), in_memory, in_file, H5P_DEFAULT,
                        data) >= 0;
    H5Sclose(in_memory);
    H5Sclose(in_file);
    if (!read)
        return meshi_fail(error, "%s: dataset %s: HDF5 cannot read it", dataset->path,
                          dataset->name);
    return true;
}

static size_t piece_count(const meshi_dataset_t *dataset)
{
    return meshi_piece_count(dataset->rows, row_nbytes(dataset));
}

static bool read_checksums(hid_t file, const char *name, meshi_dataset_t *dataset,
                           mesh_error_t *error)
{
    meshi_dataset_t sums;
    size_t pieces = piece_count(dataset);
    if (!open_plain(file, dataset->path, name, MESHI_UINT32, 1, &sums, error))
        return false;
    bool read = false;
    uint32_t *checksums = malloc(pieces * sizeof *checksums);
    if (sums.rows != pieces)
        (void)meshi_fail(error, "%s: dataset %s: has %zu checksums for %zu pieces", dataset->path,
                         name, sums.rows, pieces);
    else if (checksums == NULL)
        (void)meshi_fail_memory(error, name, pieces * sizeof *checksums);
    else
        read = read_run(&sums, 0, pieces, checksums, error);
    meshi_dataset_close(&sums);
    if (read)
        dataset->checksums = checksums;
    else
        free(checksums);
    return read;
}

bool meshi_dataset_open(hid_t file, const char *path, const char *name, meshi_number_t number,
                        int rank, meshi_dataset_t *dataset, mesh_error_t *error)
{
    char checksums[64];
    meshi_dataset_t opened;
    if (!open_plain(file, path, name, number, rank, &opened, error))
        return false;
    snprintf(checksums, sizeof checksums, MESHI_CHECKSUMS "%s", name);
    bool has_checksums;
    if (!meshi_hdf5_find(file, path, MESHI_CHECKSUMS, &has_checksums, error) ||
        (has_checksums && !read_checksums(file, checksums, &opened, error))) {
        H5Dclose(opened.id);
        return false;
    }
    *dataset = opened;
    return true;
}

void meshi_dataset_close(meshi_dataset_t *dataset)
{
    if (dataset->name != NULL)
        H5Dclose(dataset->id);
    free(dataset->checksums);
    *dataset = (meshi_dataset_t){0};
}

/* `data` are the rows from `first` on, which is the first of a piece, PART_PIECES pieces at most.
 */
static bool verify(const meshi_dataset_t *dataset, size_t first, size_t count, const void *data,
                   mesh_error_t *error)
{
    uint32_t found[PART_PIECES];
    size_t nbytes = row_nbytes(dataset);
    size_t piece = meshi_piece_rows(nbytes);
    if (dataset->checksums == NULL)
        return true;
    const uint32_t *expected = dataset->checksums + first / piece;
    meshi_checksums(data, meshi_number_size(dataset->number), count, nbytes, found);
    for (size_t p = 0; p * piece < count; p++)
        if (found[p] != expected[p]) {
            size_t left = count - p * piece;
            return meshi_fail(error,
                              "%s: dataset %s: damaged: rows %zu to %zu (0-based) do not have the "
                              "checksum that they were written with",
                              dataset->path, dataset->name, first + p * piece,
                              first + p * piece + (left < piece ? left : piece) - 1);
        }
    return true;
}

/* Reads part after part to `part`, which has room for PART_PIECES pieces. */
static bool compute_checksums(const meshi_dataset_t *dataset, void *part, uint32_t *checksums,
                              mesh_error_t *error)
{
    size_t nbytes = row_nbytes(dataset);
    size_t piece = meshi_piece_rows(nbytes);
    size_t most = PART_PIECES * piece;
    for (size_t first = 0; first < dataset->rows; first += most) {
        size_t left = dataset->rows - first;
        size_t count = left < most ? left : most;
        if (!read_run(dataset, first, count, part, error))
            return false;
        meshi_checksums(part, meshi_number_size(dataset->number), count, nbytes,
                        checksums + first / piece);
    }
    return true;
}

bool meshi_dataset_add_checksums(meshi_dataset_t *dataset, mesh_error_t *error)
{
    size_t part_nbytes = PART_PIECES * meshi_piece_rows(row_nbytes(dataset)) * row_nbytes(dataset);
    size_t sums_nbytes = piece_count(dataset) * sizeof *dataset->checksums;
    if (dataset->checksums != NULL)
        return true;
    void *part = malloc(part_nbytes);
    uint32_t *checksums = malloc(sums_nbytes);
    bool added = false;
    if (part == NULL || checksums == NULL)
        (void)meshi_fail_memory(error, dataset->name, part_nbytes + sums_nbytes);
    else
        added = compute_checksums(dataset, part, checksums, error);
    free(part);
    if (added)
        dataset->checksums = checksums;
    else
        free(checksums);
    return added;
}

/* Every step can be undone, and a sum that differs leaves the others in their place. */
static uint64_t add_to_digest(uint64_t digest, uint64_t value)
{
    digest = (digest ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ (digest >> 32);
}

uint64_t meshi_dataset_add_to_digest(const meshi_dataset_t *dataset, uint64_t digest)
{
    size_t pieces = dataset->checksums == NULL ? 0 : piece_count(dataset);
    digest = add_to_digest(add_to_digest(digest, dataset->rows), dataset->width);
    for (size_t p = 0; p < pieces; p++)
        digest = add_to_digest(digest, dataset->checksums[p]);
    return digest;
}

static void advance(const meshi_dataset_t *dataset, const meshi_rows_t *rows, size_t count,
                    cursor_t *cursor)
{
    cursor->to += count * row_nbytes(dataset);
    cursor->row += count;
    cursor->run -= count;
    if (cursor->run > 0)
        return;
    cursor->row += rows->stride - rows->block;
    cursor->run = rows->block;
    cursor->runs--;
}

/* Reads whole pieces of the present run straight to where they go. `*count` becomes the number of
 * their rows, 0 if the run does not begin with a whole piece. */
static bool read_pieces(const meshi_dataset_t *dataset, const cursor_t *cursor, size_t *count,
                        mesh_error_t *error)
{
    size_t piece = meshi_piece_rows(row_nbytes(dataset));
    size_t most = PART_PIECES * piece;
    *count = cursor->run < most ? cursor->run : most;
    if (cursor->row + *count < dataset->rows)
        *count -= *count % piece;
    if (cursor->row % piece != 0)
        *count = 0;
    return *count == 0 || (read_run(dataset, cursor->row, *count, cursor->to, error) &&
                           verify(dataset, cursor->row, *count, cursor->to, error));
}

/* Reads a part that has rows in it which are not wanted to `part`, and takes the others. */
static bool read_part(const meshi_dataset_t *dataset, const meshi_rows_t *rows, char *part,
                      cursor_t *cursor, mesh_error_t *error)
{
    size_t nbytes = row_nbytes(dataset);
    size_t piece = meshi_piece_rows(nbytes);
    size_t first = cursor->row - cursor->row % piece;
    size_t last = rows->first + (rows->blocks - 1) * rows->stride + rows->block - 1;
    size_t end = first + PART_PIECES * piece;
    if (last < end)
        end = last + piece - last % piece;
    if (end > dataset->rows)
        end = dataset->rows;
    if (!read_run(dataset, first, end - first, part, error) ||
        !verify(dataset, first, end - first, part, error))
        return false;
    while (cursor->runs > 0 && cursor->row < end) {
        size_t left = end - cursor->row;
        size_t count = cursor->run < left ? cursor->run : left;
        memcpy(cursor->to, part + (cursor->row - first) * nbytes, count * nbytes);
        advance(dataset, rows, count, cursor);
    }
    return true;
}

static bool read_rows(const meshi_dataset_t *dataset, const meshi_rows_t *rows, char *part,
                      void *data, mesh_error_t *error)
{
    cursor_t cursor = {rows->first, rows->block, rows->blocks, data};
    while (cursor.runs > 0) {
        size_t count;
        if (!read_pieces(dataset, &cursor, &count, error))
            return false;
        if (count > 0)
            advance(dataset, rows, count, &cursor);
        else if (!read_part(dataset, rows, part, &cursor, error))
            return false;
    }
    return true;
}

bool meshi_dataset_read(const meshi_dataset_t *dataset, meshi_rows_t rows, void *data,
                        mesh_error_t *error)
{
    size_t nbytes = row_nbytes(dataset);
    size_t part_nbytes = PART_PIECES * meshi_piece_rows(nbytes) * nbytes;
    if (rows.blocks == 0 || rows.block == 0)
        return true;
    if (rows.stride == rows.block)
        rows = (meshi_rows_t){rows.first, rows.block * rows.blocks, rows.block * rows.blocks, 1};
    char *part = malloc(part_nbytes);
    if (part == NULL)
        return meshi_fail_memory(error, dataset->name, part_nbytes);
    bool read = read_rows(dataset, &rows, part, data, error);
    free(part);
    return read;
}

bool meshi_dataset_read_all(hid_t file, const char *path, const char *name, meshi_number_t number,
                            size_t rows, size_t width, void *data, mesh_error_t *error)
{
    meshi_dataset_t dataset;
    if (!meshi_dataset_open(file, path, name, number, width > 0 ? 2 : 1, &dataset, error))
        return false;
    bool read = false;
    if (dataset.rows != rows || (width > 0 && dataset.width != width))
        (void)meshi_fail(error, "%s: dataset %s: is %zu x %zu, not %zu x %zu", path, name,
                         dataset.rows, dataset.width, rows, width > 0 ? width : 1);
    else
        read = meshi_dataset_read(&dataset, (meshi_rows_t){0, rows, rows, 1}, data, error);
    meshi_dataset_close(&dataset);
    return read;
}
