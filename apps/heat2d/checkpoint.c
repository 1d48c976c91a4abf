#include "checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/gather.h"
#include "common/large.h"
#include "common/output.h"
#include "field.h"

enum {
    FORMAT_VERSION = 1,
    NAME_LENGTH = 32,
    MOST_COLUMNS = 1 << 24 /* of a chunk: HDF5 has none of 4 GiB */
};

static const char format_name[] = "fathom-heat2d";

static bool write_number(hid_t file, const char *name, uint64_t value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(file, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_UINT64, &value) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    return ok;
}

static hid_t name_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, NAME_LENGTH);
    return type;
}

static bool write_name(hid_t file, const char *name, const char *value)
{
    char text[NAME_LENGTH] = "";
    snprintf(text, sizeof text, "%s", value);
    hid_t type = name_type();
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

static hid_t create_field(hid_t file, const heat_shape_t *shape)
{
    hsize_t extent[2] = {shape->M, shape->N};
    hsize_t chunk[2] = {heat_band_rows(shape), shape->N < MOST_COLUMNS ? shape->N : MOST_COLUMNS};
    hid_t space = H5Screate_simple(2, extent, NULL);
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(layout, 2, chunk);
    H5Pset_fletcher32(layout);
    hid_t field = H5Dcreate2(file, "phi", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    H5Pclose(layout);
    H5Sclose(space);
    return field;
}

/* Writes `count` rows to the file, or reads them. */
static bool transfer(hid_t field, size_t first, size_t count, size_t N, bool writes, double *rows)
{
    hsize_t start[2] = {first, 0};
    hsize_t extent[2] = {count, N};
    hid_t in_file = H5Dget_space(field);
    hid_t in_memory = H5Screate_simple(2, extent, NULL);
    bool ok = H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, extent, NULL) >= 0;
    if (ok && writes)
        ok = H5Dwrite(field, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, rows) >= 0;
    else if (ok)
        ok = H5Dread(field, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, rows) >= 0;
    H5Sclose(in_memory);
    H5Sclose(in_file);
    return ok;
}

static bool are_finite(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* The same with all rows, from and to the threads' memory. Returns NULL, or what is wrong. */
static const char *transfer_all(hid_t field, const heat_problem_t *problem, bool writes)
{
    const heat_shape_t *shape = &problem->shape;
    size_t band = heat_band_rows(shape);
    double *rows = common_alloc("checkpoint: rows", band * shape->N, sizeof *rows);
    const char *wrong = NULL;
    for (size_t first = 0; wrong == NULL && first < shape->M; first += band) {
        size_t count = shape->M - first < band ? shape->M - first : band;
        if (writes)
            heat_field_get(problem, first, count, rows);
        if (!transfer(field, first, count, shape->N, writes, rows))
            wrong = "the field cannot be read: truncated or damaged";
        else if (!writes && !are_finite(rows, count * shape->N))
            wrong = "the field has values that are no numbers";
        else if (!writes)
            heat_field_put(problem, first, count, rows);
    }
    free(rows);
    return wrong;
}

static bool write_contents(hid_t file, const heat_problem_t *problem)
{
    hid_t field = create_field(file, &problem->shape);
    bool ok = field >= 0 && write_name(file, "format", format_name) &&
              write_number(file, "version", FORMAT_VERSION) &&
              write_name(file, "start", heat_start_names[problem->start]) &&
              write_number(file, "step", problem->step) &&
              transfer_all(field, problem, true) == NULL;
    if (field >= 0)
        ok &= H5Dclose(field) >= 0;
    return ok;
}

/* Data that is not on the disk may be lost when the machine stops, even after the rename. */
static bool sync_file(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool ok = fsync(file) == 0;
    close(file);
    return ok;
}

/* The newest format has checksums of all that is not data. */
static hid_t create_file(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return file;
}

static bool write_file(const char *path, const void *problem)
{
    hid_t file = create_file(path);
    if (file < 0)
        return false;
    bool ok = write_contents(file, problem);
    ok &= H5Fclose(file) >= 0;
    return ok && sync_file(path);
}

void heat_checkpoint_write(const char *path, const heat_problem_t *problem)
{
    if (pgas_mythread() == 0) {
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
        common_output_write("--checkpoint", path, write_file, problem);
    }
    pgas_barrier();
}

/* Reads an attribute that is one value of type `stored`, as `wanted`. */
static bool read_one(hid_t file, const char *name, hid_t stored, hid_t wanted, void *value)
{
    if (H5Aexists(file, name) <= 0)
        return false;
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    hid_t space = H5Aget_space(attribute);
    hid_t type = H5Aget_type(attribute);
    bool ok = H5Tequal(type, stored) > 0 && H5Sget_simple_extent_npoints(space) == 1 &&
              H5Aread(attribute, wanted, value) >= 0;
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    return ok;
}

static bool read_number(hid_t file, const char *name, uint64_t *value)
{
    return read_one(file, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, value);
}

static bool read_name(hid_t file, const char *name, char text[NAME_LENGTH])
{
    hid_t type = name_type();
    bool ok = read_one(file, name, type, type, text) && memchr(text, '\0', NAME_LENGTH) != NULL;
    H5Tclose(type);
    return ok;
}

/* A link may lead to another file, and so does a field that is not in chunks, which have checksums.
 */
static hid_t open_field(hid_t file)
{
    H5L_info_t info;
    if (H5Lexists(file, "phi", H5P_DEFAULT) <= 0 ||
        H5Lget_info(file, "phi", &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD)
        return -1;
    hid_t field = H5Dopen2(file, "phi", H5P_DEFAULT);
    if (field < 0)
        return -1;
    unsigned flags;
    size_t values = 0;
    hid_t creation = H5Dget_create_plist(field);
    bool is_own = H5Pget_layout(creation) == H5D_CHUNKED &&
                  H5Pget_filter_by_id2(creation, H5Z_FILTER_FLETCHER32, &flags, &values, NULL, 0,
                                       NULL, NULL) >= 0;
    H5Pclose(creation);
    if (is_own)
        return field;
    H5Dclose(field);
    return -1;
}

static bool read_extent(hid_t field, heat_checkpoint_info_t *info)
{
    hsize_t extent[2] = {0, 0};
    hid_t space = H5Dget_space(field);
    bool ok = H5Sget_simple_extent_ndims(space) == 2 &&
              H5Sget_simple_extent_dims(space, extent, NULL) == 2;
    H5Sclose(space);
    hid_t type = H5Dget_type(field);
    ok = ok && H5Tequal(type, H5T_IEEE_F64LE) > 0;
    H5Tclose(type);
    info->M = (size_t)extent[0];
    info->N = (size_t)extent[1];
    return ok;
}

/* Chunks that were never written would be read as zeros. */
static bool has_all_chunks(hid_t field, const heat_checkpoint_info_t *info)
{
    hsize_t chunk[2] = {0, 0};
    hsize_t found = 0;
    hid_t creation = H5Dget_create_plist(field);
    hid_t space = H5Dget_space(field); /* HDF5 1.10 fails with H5S_ALL */
    bool ok = H5Pget_chunk(creation, 2, chunk) == 2 && chunk[0] > 0 && chunk[1] > 0 &&
              H5Dget_num_chunks(field, space, &found) >= 0;
    H5Sclose(space);
    H5Pclose(creation);
    return ok &&
           found == ((info->M + chunk[0] - 1) / chunk[0]) * ((info->N + chunk[1] - 1) / chunk[1]);
}

/* Returns NULL, or what is wrong. */
static const char *check_field(hid_t file, heat_checkpoint_info_t *info)
{
    const char *wrong = NULL;
    hid_t field = open_field(file);
    if (field < 0 || !read_extent(field, info))
        wrong = "has no field 'phi' of 64-bit reals, in chunks with checksums";
    else if (info->M > HEAT_MOST_POINTS || info->N > HEAT_MOST_POINTS)
        wrong = "has a field of more than 1000000000 rows or columns";
    else if (info->M < 3 || info->N < 3)
        wrong = "has a field of less than 3 x 3 points";
    else if (!has_all_chunks(field, info))
        wrong = "has a field of which not all was written";
    if (field >= 0)
        H5Dclose(field);
    return wrong;
}

/* Returns NULL, or what is wrong. */
static const char *read_info(hid_t file, heat_checkpoint_info_t *info)
{
    char format[NAME_LENGTH];
    char start[NAME_LENGTH];
    uint64_t version;
    uint64_t step;
    if (!read_name(file, "format", format) || strcmp(format, format_name) != 0)
        return "is no checkpoint of fathom-heat2d";
    if (!read_number(file, "version", &version) || version != FORMAT_VERSION)
        return "has a version that this program does not read";
    if (!read_number(file, "step", &step) || !read_name(file, "start", start))
        return "lacks the attribute 'step' or 'start'";
    info->step = (size_t)step;
    for (info->start = 0; info->start < HEAT_STARTS; info->start++)
        if (strcmp(start, heat_start_names[info->start]) == 0)
            break;
    if (info->start == HEAT_STARTS)
        return "has a start that this program does not know";
    return check_field(file, info);
}

/* Returns an open file, or -1. */
static hid_t open_file(const char *path, const char **wrong)
{
    struct stat status;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    *wrong = NULL;
    if (stat(path, &status) != 0 || access(path, R_OK) != 0)
        *wrong = strerror(errno);
    else if (!S_ISREG(status.st_mode))
        *wrong = "is not a regular file";
    else if (H5Fis_hdf5(path) <= 0)
        *wrong = "is not an HDF5 file";
    if (*wrong != NULL)
        return -1;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(access, false, true);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    if (file < 0)
        *wrong = "cannot be opened by HDF5: truncated or damaged";
    return file;
}

struct heat_restart {
    const char *path;
    hid_t file; /* of thread 0 */
    size_t step;
};

heat_restart_t *heat_restart_open(const char *path, heat_checkpoint_info_t *info)
{
    heat_restart_t *restart = common_alloc("checkpoint", 1, sizeof *restart);
    *restart = (heat_restart_t){.path = path, .file = H5I_INVALID_HID};
    *info = (heat_checkpoint_info_t){0};
    if (pgas_mythread() == 0) {
        const char *wrong;
        restart->file = open_file(path, &wrong);
        if (restart->file >= 0)
            wrong = read_info(restart->file, info);
        if (wrong != NULL)
            pgas_fail(1, "--restart: '%s': %s", path, wrong);
    }
    heat_checkpoint_info_t *all = common_gather(info, sizeof *info);
    *info = all[0];
    free(all);
    restart->step = info->step;
    return restart;
}

void heat_restart_read(const heat_restart_t *restart, heat_problem_t *problem)
{
    if (pgas_mythread() == 0) {
        hid_t field = open_field(restart->file);
        const char *wrong =
            field < 0 ? "has changed meanwhile" : transfer_all(field, problem, false);
        if (wrong != NULL)
            pgas_fail(1, "--restart: '%s': %s", restart->path, wrong);
        H5Dclose(field);
    }
    problem->step = restart->step;
    pgas_barrier();
}

void heat_restart_close(heat_restart_t *restart)
{
    if (restart == NULL)
        return;
    if (restart->file >= 0)
        H5Fclose(restart->file);
    free(restart);
}
