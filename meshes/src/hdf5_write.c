#include "hdf5_io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "fail.h"

static bool write_attribute(hid_t file, const char *group, const char *name, hid_t file_type,
                            hid_t memory_type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate_by_name(file, group, name, file_type, space, H5P_DEFAULT,
                                        H5P_DEFAULT, H5P_DEFAULT);
    bool written = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    return written;
}

bool meshi_hdf5_write_real(hid_t file, const char *group, const char *name, double value)
{
    return write_attribute(file, group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

bool meshi_hdf5_write_whole(hid_t file, const char *name, int64_t value)
{
    return write_attribute(file, "/", name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

bool meshi_hdf5_write_text(hid_t file, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    bool written = H5Tset_size(type, strlen(text) + 1) >= 0 &&
                   write_attribute(file, "/", name, type, type, text);
    H5Tclose(type);
    return written;
}

bool meshi_hdf5_create(const char *path, const char *format, int version, hid_t *file,
                       mesh_error_t *error)
{
    if (!meshi_hdf5_start(path, error))
        return false;
    errno = 0;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    hid_t made = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    if (made < 0)
        return meshi_fail(error, "%s: cannot be created: %s", path, strerror(errno));
    if (!meshi_hdf5_write_text(made, "format", format) ||
        !write_attribute(made, "/", "version", H5T_STD_I32LE, H5T_NATIVE_INT, &version)) {
        H5Fclose(made);
        return meshi_fail(error, "%s: cannot be written: %s", path, strerror(errno));
    }
    *file = made;
    return true;
}

static hid_t create_dataset(hid_t file, const char *name, hid_t type, size_t rows, size_t width)
{
    hsize_t dims[2] = {rows, width};
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t space = H5Screate_simple(width > 0 ? 2 : 1, dims, NULL);
    hid_t dataset = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(links);
    return dataset;
}

static bool write_plain(hid_t file, const char *path, const char *name, meshi_number_t number,
                        size_t rows, size_t width, const void *data, mesh_error_t *error)
{
    hid_t file_type = number == MESHI_REAL64  ? H5T_IEEE_F64LE
                      : number == MESHI_INT32 ? H5T_STD_I32LE
                                              : H5T_STD_U32LE;
    hid_t memory_type = number == MESHI_REAL64  ? H5T_NATIVE_DOUBLE
                        : number == MESHI_INT32 ? H5T_NATIVE_INT32
                                                : H5T_NATIVE_UINT32;
    errno = 0;
    hid_t dataset = create_dataset(file, name, file_type, rows, width);
    bool written =
        dataset >= 0 && H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    int reason = errno;
    if (dataset >= 0)
        H5Dclose(dataset);
    if (!written)
        return meshi_fail(error, "%s: dataset %s: cannot be written: %s", path, name,
                          reason != 0 ? strerror(reason) : "HDF5 refuses");
    return true;
}

bool meshi_hdf5_write(hid_t file, const char *path, const char *name, meshi_number_t number,
                      size_t rows, size_t width, const void *data, mesh_error_t *error)
{
    char sums_name[64];
    size_t size = meshi_number_size(number);
    size_t row_nbytes = size * (width > 0 ? width : 1);
    size_t pieces = meshi_piece_count(rows, row_nbytes);
    uint32_t *sums = malloc(pieces * sizeof *sums);
    if (sums == NULL)
        return meshi_fail_memory(error, name, pieces * sizeof *sums);
    meshi_checksums(data, size, rows, row_nbytes, sums);
    snprintf(sums_name, sizeof sums_name, MESHI_CHECKSUMS "%s", name);
    bool written = write_plain(file, path, name, number, rows, width, data, error) &&
                   write_plain(file, path, sums_name, MESHI_UINT32, pieces, 0, sums, error);
    free(sums);
    return written;
}

bool meshi_hdf5_close(hid_t file, const char *path, bool written, mesh_error_t *error)
{
    errno = 0;
    if (H5Fclose(file) >= 0 || !written)
        return written;
    return meshi_fail(error, "%s: cannot be written to its end: %s", path,
                      errno != 0 ? strerror(errno) : "HDF5 refuses");
}
