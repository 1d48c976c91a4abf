#include "hdf5_io.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "meshes/mesh_file.h"

static bool check_regular(const char *path, mesh_error_t *error)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return meshi_fail(error, "%s: cannot be opened: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return meshi_fail(error, "%s: is not a regular file", path);
    if (access(path, R_OK) != 0)
        return meshi_fail(error, "%s: cannot be opened: %s", path, strerror(errno));
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

bool meshi_hdf5_start(const char *path, mesh_error_t *error)
{
    if (H5open() < 0 || H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0)
        return meshi_fail(error, "%s: HDF5 does not start: not enough memory", path);
    return true;
}

bool meshi_hdf5_open_any(const char *path, hid_t *file, mesh_error_t *error)
{
    if (!meshi_hdf5_start(path, error))
        return false;
    if (!check_regular(path, error))
        return false;
    htri_t is_hdf5 = H5Fis_hdf5(path);
    if (is_hdf5 < 0)
        return meshi_fail(error, "%s: cannot be opened for reading", path);
    if (is_hdf5 == 0)
        return meshi_fail(error, "%s: is not an HDF5 file", path);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(access, false, true);
    hid_t opened = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    if (opened < 0)
        return meshi_fail(error, "%s: HDF5 cannot open it: truncated or damaged", path);
    *file = opened;
    return true;
}

bool meshi_hdf5_open(const char *path, hid_t *file, mesh_error_t *error)
{
    hid_t opened;
    if (!meshi_hdf5_open_any(path, &opened, error))
        return false;
    if (!check_version(opened, path, error)) {
        H5Fclose(opened);
        return false;
    }
    *file = opened;
    return true;
}

bool meshi_hdf5_find(hid_t file, const char *path, const char *name, bool *is_there,
                     mesh_error_t *error)
{
    char part[64];
    H5L_info_t info;
    size_t length = strlen(name);
    htri_t found = length < sizeof part;
    for (size_t at = 1; at <= length && found > 0; at++) {
        if (at < length && name[at] != '/')
            continue;
        memcpy(part, name, at);
        part[at] = '\0';
        found = H5Lexists(file, part, H5P_DEFAULT);
        if (found > 0 && H5Lget_info(file, part, &info, H5P_DEFAULT) < 0)
            found = -1;
        if (found > 0 && info.type != H5L_TYPE_HARD)
            return meshi_fail(error,
                              "%s: %s is a link to elsewhere; only what is in the file itself is "
                              "read",
                              path, part);
    }
    if (found < 0)
        return meshi_fail(error,
                          "%s: HDF5 cannot tell whether %s is there: damaged, or not enough "
                          "memory",
                          path, name);
    *is_there = found > 0;
    return true;
}

/* HDF5 trusts what a file says of any other type. */
static bool is_standard(hid_t type)
{
    const hid_t standard[] = {
        H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_STD_I8LE,
        H5T_STD_I8BE,   H5T_STD_I16LE,  H5T_STD_I16BE,  H5T_STD_I32LE,  H5T_STD_I32BE,
        H5T_STD_I64LE,  H5T_STD_I64BE,  H5T_STD_U8LE,   H5T_STD_U8BE,   H5T_STD_U16LE,
        H5T_STD_U16BE,  H5T_STD_U32LE,  H5T_STD_U32BE,  H5T_STD_U64LE,  H5T_STD_U64BE,
    };
    for (size_t i = 0; i < sizeof standard / sizeof standard[0]; i++)
        if (H5Tequal(type, standard[i]) > 0)
            return true;
    return false;
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
    double found = 0.0;
    bool read = H5Sget_simple_extent_type(space) == H5S_SCALAR && is_standard(type) &&
                H5Aread(attribute, H5T_NATIVE_DOUBLE, &found) >= 0 && isfinite(found);
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    if (read)
        *value = found;
    return read;
}

/* Text of fixed length; or of variable length, as h5py writes it. */
static bool read_string(hid_t attribute, hid_t type, char *buffer, size_t size)
{
    char *found = NULL;
    htri_t is_variable = H5Tis_variable_str(type);
    if (is_variable < 0)
        return false;
    if (is_variable == 0)
        return H5Tget_size(type) < size && H5Aread(attribute, type, buffer) >= 0;
    if (H5Aread(attribute, type, &found) < 0 || found == NULL)
        return false;
    size_t length = strlen(found);
    if (length < size)
        memcpy(buffer, found, length + 1);
    H5free_memory(found);
    return length < size;
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
                H5Tget_class(type) == H5T_STRING &&
                read_string(attribute, type, buffer, sizeof buffer);
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
