#include "hdf5_io.h"

#include <errno.h>
#include <string.h>

#include "fail.h"
#include "meshes/mesh_file.h"

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

bool meshi_hdf5_write_text(hid_t file, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    bool written = H5Tset_size(type, strlen(text) + 1) >= 0 &&
                   write_attribute(file, "/", name, type, type, text);
    H5Tclose(type);
    return written;
}

bool meshi_hdf5_create(const char *path, hid_t *file, mesh_error_t *error)
{
    static const int version = MESH_FILE_VERSION;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
    hid_t made = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (made < 0)
        return meshi_fail(error, "%s: cannot be created: %s", path, strerror(errno));
    if (!meshi_hdf5_write_text(made, "format", "fathom-mesh") ||
        !write_attribute(made, "/", "version", H5T_STD_I32LE, H5T_NATIVE_INT, &version)) {
        H5Fclose(made);
        return meshi_fail(error, "%s: cannot be written: %s", path, strerror(errno));
    }
    *file = made;
    return true;
}

static hid_t create_dataset(hid_t file, const char *name, meshi_number_t number, size_t rows,
                            size_t width)
{
    hsize_t dims[2] = {rows, width};
    hid_t type = number == MESHI_REAL64 ? H5T_IEEE_F64LE : H5T_STD_I32LE;
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t space = H5Screate_simple(width > 0 ? 2 : 1, dims, NULL);
    hid_t dataset = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(links);
    return dataset;
}

bool meshi_hdf5_write(hid_t file, const char *path, const char *name, meshi_number_t number,
                      size_t rows, size_t width, const void *data, mesh_error_t *error)
{
    errno = 0;
    hid_t type = number == MESHI_REAL64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32;
    hid_t dataset = create_dataset(file, name, number, rows, width);
    bool written =
        dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    int reason = errno;
    if (dataset >= 0)
        H5Dclose(dataset);
    if (!written)
        return meshi_fail(error, "%s: dataset %s: cannot be written: %s", path, name,
                          reason != 0 ? strerror(reason) : "HDF5 refuses");
    return true;
}
