#include "hdf5_io.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "fail.h"
#include "meshes/mesh_file.h"

static const size_t sieve_bytes = (size_t)1 << 20;

static bool check_regular(const char *path, mesh_error_t *error)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return meshi_fail(error, "%s: cannot be opened: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return meshi_fail(error, "%s: is not a regular file", path);
    return true;
}

static bool check_version(hid_t file, const char *path, mesh_error_t *error)
{
    char format[32];
    if (!meshi_hdf5_read_text(file, "format", format, sizeof format) ||
        strcmp(format, "fathom-mesh") != 0)
        return meshi_fail(error,
                          "%s: attribute 'format' is not 'fathom-mesh': not a Fathom mesh file "
                          "('fathom-mesh import' reads other formats)",
                          path);
    double version;
    if (!meshi_hdf5_read_real(file, "/", "version", &version))
        return meshi_fail(error, "%s: attribute 'version' is missing or not a number", path);
    if (version != MESH_FILE_VERSION)
        return meshi_fail(error, "%s: attribute 'version' is %g; this program reads version %d",
                          path, version, MESH_FILE_VERSION);
    return true;
}

bool meshi_hdf5_open(const char *path, hid_t *file, mesh_error_t *error)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (!check_regular(path, error))
        return false;
    htri_t is_hdf5 = H5Fis_hdf5(path);
    if (is_hdf5 < 0)
        return meshi_fail(error, "%s: cannot be opened for reading", path);
    if (is_hdf5 == 0)
        return meshi_fail(error, "%s: is not an HDF5 file", path);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(access, false, true);
    H5Pset_sieve_buf_size(access, sieve_bytes);
    hid_t opened = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    if (opened < 0)
        return meshi_fail(error, "%s: HDF5 cannot open it: truncated or damaged", path);
    if (!check_version(opened, path, error)) {
        H5Fclose(opened);
        return false;
    }
    *file = opened;
    return true;
}

static bool is_hard_link(hid_t file, const char *name)
{
    H5L_info_t info;
    return H5Lexists(file, name, H5P_DEFAULT) > 0 &&
           H5Lget_info(file, name, &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_HARD;
}

bool meshi_hdf5_has(hid_t file, const char *name)
{
    char group[32];
    const char *slash = strrchr(name, '/');
    size_t length = (size_t)(slash - name);
    if (length >= sizeof group)
        return false;
    memcpy(group, name, length);
    group[length] = '\0';
    return (length == 0 || is_hard_link(file, group)) && is_hard_link(file, name);
}

static bool check_type(hid_t dataset, meshi_number_t number)
{
    hid_t type = H5Dget_type(dataset);
    if (type < 0)
        return false;
    bool fits;
    if (number == MESHI_REAL64)
        fits = H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F64BE) > 0;
    else
        fits = H5Tequal(type, H5T_STD_I32LE) > 0 || H5Tequal(type, H5T_STD_I32BE) > 0;
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

static bool get_extent(hid_t dataset, int rank, size_t extent[2])
{
    hid_t space = H5Dget_space(dataset);
    if (space < 0)
        return false;
    hsize_t dims[2] = {0, 1};
    bool fits = H5Sget_simple_extent_type(space) == H5S_SIMPLE &&
                H5Sget_simple_extent_ndims(space) == rank &&
                H5Sget_simple_extent_dims(space, dims, NULL) == rank;
    H5Sclose(space);
    extent[0] = (size_t)dims[0];
    extent[1] = (size_t)dims[1];
    return fits && extent[0] > 0 && extent[1] > 0 && extent[0] <= SIZE_MAX / 16 / extent[1];
}

static bool is_complete(hid_t file, hid_t dataset, size_t nbytes)
{
    hsize_t file_size;
    haddr_t offset = H5Dget_offset(dataset);
    return offset != HADDR_UNDEF && H5Fget_filesize(file, &file_size) >= 0 && offset <= file_size &&
           nbytes <= file_size - offset;
}

static bool check_dataset(hid_t file, hid_t dataset, const char *path, const char *name,
                          meshi_number_t number, int rank, size_t extent[2], mesh_error_t *error)
{
    if (!check_type(dataset, number))
        return meshi_fail(error, "%s: dataset %s: its elements are not %s", path, name,
                          number == MESHI_REAL64 ? "64-bit reals" : "signed 32-bit integers");
    if (!get_extent(dataset, rank, extent))
        return meshi_fail(error, "%s: dataset %s: is not a non-empty array of %d dimension%s", path,
                          name, rank, rank == 1 ? "" : "s");
    if (!is_contiguous(dataset))
        return meshi_fail(error,
                          "%s: dataset %s: is not stored contiguously in this file (chunks, "
                          "compression and external storage are not read)",
                          path, name);
    size_t nbytes = extent[0] * extent[1] * (number == MESHI_REAL64 ? 8 : 4);
    if (!is_complete(file, dataset, nbytes))
        return meshi_fail(error, "%s: dataset %s: the file ends before its %zu bytes do", path,
                          name, nbytes);
    return true;
}

bool meshi_hdf5_open_dataset(hid_t file, const char *path, const char *name, meshi_number_t number,
                             int rank, size_t extent[2], hid_t *dataset, mesh_error_t *error)
{
    if (!meshi_hdf5_has(file, name))
        return meshi_fail(error, "%s: dataset %s: is missing", path, name);
    hid_t opened = H5Dopen2(file, name, H5P_DEFAULT);
    if (opened < 0)
        return meshi_fail(error, "%s: dataset %s: HDF5 cannot open it", path, name);
    size_t found[2];
    if (!check_dataset(file, opened, path, name, number, rank, found, error)) {
        H5Dclose(opened);
        return false;
    }
    extent[0] = found[0];
    extent[1] = found[1];
    *dataset = opened;
    return true;
}

bool meshi_hdf5_read(hid_t dataset, const char *path, const char *name, meshi_number_t number,
                     meshi_rows_t rows, size_t width, void *data, mesh_error_t *error)
{
    if (rows.blocks == 0 || rows.block == 0)
        return true;
    int rank = width > 0 ? 2 : 1;
    hsize_t start[2] = {rows.first, 0};
    hsize_t stride[2] = {rows.stride, width};
    hsize_t count[2] = {rows.blocks, 1};
    hsize_t block[2] = {rows.block, width};
    hsize_t length[2] = {(hsize_t)rows.blocks * rows.block, width};
    hid_t type = number == MESHI_REAL64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32;
    hid_t in_file = H5Dget_space(dataset);
    hid_t in_memory = H5Screate_simple(rank, length, NULL);
    bool read = in_file >= 0 && in_memory >= 0 &&
                H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, stride, count, block) >= 0 &&
                H5Dread(dataset, type, in_memory, in_file, H5P_DEFAULT, data) >= 0;
    H5Sclose(in_memory);
    H5Sclose(in_file);
    if (!read)
        return meshi_fail(error, "%s: dataset %s: HDF5 cannot read it", path, name);
    return true;
}

bool meshi_hdf5_read_all(hid_t file, const char *path, const char *name, meshi_number_t number,
                         size_t rows, size_t width, void *data, mesh_error_t *error)
{
    hid_t dataset;
    size_t extent[2];
    if (!meshi_hdf5_open_dataset(file, path, name, number, width > 0 ? 2 : 1, extent, &dataset,
                                 error))
        return false;
    bool read = false;
    if (extent[0] != rows || (width > 0 && extent[1] != width))
        (void)meshi_fail(error, "%s: dataset %s: is %zu x %zu, not %zu x %zu", path, name,
                         extent[0], extent[1], rows, width > 0 ? width : 1);
    else
        read = meshi_hdf5_read(dataset, path, name, number, (meshi_rows_t){0, rows, rows, 1}, width,
                               data, error);
    H5Dclose(dataset);
    return read;
}

bool meshi_hdf5_read_real(hid_t file, const char *group, const char *name, double *value)
{
    if (H5Aexists_by_name(file, group, name, H5P_DEFAULT) <= 0)
        return false;
    hid_t attribute = H5Aopen_by_name(file, group, name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    hid_t space = H5Aget_space(attribute);
    hid_t type = H5Aget_type(attribute);
    H5T_class_t class = H5Tget_class(type);
    double found = 0.0;
    bool read = H5Sget_simple_extent_type(space) == H5S_SCALAR &&
                (class == H5T_FLOAT || class == H5T_INTEGER) && H5Tget_size(type) <= 8 &&
                H5Aread(attribute, H5T_NATIVE_DOUBLE, &found) >= 0 && isfinite(found);
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    if (read)
        *value = found;
    return read;
}

bool meshi_hdf5_read_text(hid_t file, const char *name, char *text, size_t size)
{
    char buffer[1024] = "";
    if (H5Aexists(file, name) <= 0)
        return false;
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    hid_t space = H5Aget_space(attribute);
    hid_t type = H5Aget_type(attribute);
    bool read = H5Sget_simple_extent_type(space) == H5S_SCALAR &&
                H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                H5Tget_size(type) < sizeof buffer && H5Aread(attribute, type, buffer) >= 0;
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    if (!read)
        return false;
    size_t length = strnlen(buffer, size - 1);
    memcpy(text, buffer, length);
    text[length] = '\0';
    return true;
}
