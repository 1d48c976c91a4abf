/* Fuzz target: a mesh file whose groups, links, shapes, types, layouts, attributes and contents
 * come from the input, and which may be cut short. The container itself is written by HDF5 and
 * sound: HDF5 1.10 does not survive bytes changed in it (leaks, allocations of gigabytes), and
 * this library cannot help that. The file lives in /dev/shm. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "meshes/meshes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum {
    EXTENT_MAX = 12,
    BYTES_MAX = 8 * EXTENT_MAX * EXTENT_MAX * 2
};

typedef struct input {
    const uint8_t *at;
    size_t left;
} input_t;

static char path[] = "/dev/shm/fuzz-mesh-file-XXXXXX";

static unsigned take(input_t *input)
{
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->at++;
}

static hid_t take_type(input_t *input, hid_t usual)
{
    switch (take(input) % 16) {
    case 1:
        return H5T_IEEE_F64LE;
    case 2:
        return H5T_IEEE_F64BE;
    case 3:
        return H5T_IEEE_F32LE;
    case 4:
        return H5T_STD_I32LE;
    case 5:
        return H5T_STD_I32BE;
    case 6:
        return H5T_STD_U32LE;
    case 7:
        return H5T_STD_I64LE;
    case 8:
        return H5T_C_S1;
    case 9:
        return H5T_STD_U32BE;
    default:
        return usual;
    }
}

/* Attribute values: mostly what is right. */
static void add_attribute(input_t *input, hid_t at, const char *name, hid_t usual,
                          const void *value)
{
    uint8_t bytes[256] = {0};
    hsize_t extent = 2;
    unsigned kind = take(input) % 16;
    if (kind == 1)
        return;
    hid_t type = H5Tcopy(kind == 2 ? take_type(input, usual) : usual);
    if (kind == 3 && H5Tget_class(type) == H5T_STRING)
        H5Tset_size(type, H5T_VARIABLE);
    hid_t space = kind == 4   ? H5Screate_simple(1, &extent, NULL)
                  : kind == 5 ? H5Screate(H5S_NULL)
                              : H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (kind == 0 || kind > 6)
        H5Awrite(attribute, type, value);
    else if (H5Tis_variable_str(type) == 0) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)take(input);
        if (H5Tget_size(type) <= sizeof bytes / 2)
            H5Awrite(attribute, type, bytes);
    }
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

static hid_t take_layout(input_t *input, int rank, const hsize_t *extent)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    switch (take(input) % 16) {
    case 1:
        H5Pset_chunk(creation, rank, extent);
        break;
    case 2:
        H5Pset_layout(creation, H5D_COMPACT);
        break;
    case 3:
        H5Pset_external(creation, "/dev/zero", 0, H5F_UNLIMITED);
        break;
    default:
        break;
    }
    return creation;
}

/* A dataset of the wanted shape, or of another; filled from the input, or with small numbers. */
static void add_dataset(input_t *input, hid_t file, const char *name, hid_t usual, hsize_t rows,
                        hsize_t width)
{
    static uint8_t bytes[BYTES_MAX];
    hsize_t extent[3] = {rows, width, 1};
    int rank = width > 0 ? 2 : 1;
    unsigned kind = take(input) % 16;
    if (kind == 1)
        return;
    if (kind == 2) {
        H5Lcreate_soft("/matrix/D", file, name, H5P_DEFAULT, H5P_DEFAULT);
        return;
    }
    if (kind == 3) {
        H5Lcreate_external("/dev/null", "/x", file, name, H5P_DEFAULT, H5P_DEFAULT);
        return;
    }
    if (kind == 4) {
        rank = 1 + (int)(take(input) % 3);
        for (size_t d = 0; d < 2; d++)
            extent[d] = take(input) % (EXTENT_MAX + 1);
    }
    if (kind == 5)
        extent[0] = (hsize_t)1 << (take(input) % 60);
    hid_t type = take_type(input, usual);
    hid_t space = kind == 6 ? H5Screate(H5S_NULL) : H5Screate_simple(rank, extent, NULL);
    hid_t creation = take_layout(input, rank, extent);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    hssize_t entries = H5Sget_simple_extent_npoints(space);
    unsigned raw = take(input) % 4;
    if (dataset >= 0 && entries > 0 && (size_t)entries * H5Tget_size(type) <= sizeof bytes) {
        for (size_t i = 0; i < sizeof bytes && raw == 1; i++)
            bytes[i] = (uint8_t)take(input);
        double numbers[BYTES_MAX / 8];
        for (size_t i = 0; i < (size_t)entries && i < BYTES_MAX / 8; i++)
            numbers[i] = (take(input) + 1) % 8;
        if (raw == 1 || H5Tget_class(type) == H5T_STRING)
            H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
        else if (raw != 2 && (size_t)entries <= BYTES_MAX / 8)
            H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
    }
    if (dataset >= 0)
        H5Dclose(dataset);
    H5Pclose(creation);
    H5Sclose(space);
}

static void add_group(input_t *input, hid_t file, const char *name)
{
    if (take(input) % 32 == 1)
        H5Lcreate_soft("/mesh", file, name, H5P_DEFAULT, H5P_DEFAULT);
    else
        H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

/* Cuts the finished file, now and then. */
static void cut(input_t *input)
{
    if (take(input) % 8 == 1 && truncate(path, (off_t)take(input) * 64) != 0)
        abort();
}

/* Checksums of some datasets, right in nothing but perhaps their number; a good matrix has none. */
static void add_checksums(input_t *input, hid_t file)
{
    static const char *const names[] = {"/checksums/mesh/points", "/checksums/matrix/D",
                                        "/checksums/matrix/A", "/checksums/matrix/J"};
    add_group(input, file, "checksums");
    add_group(input, file, "checksums/mesh");
    add_group(input, file, "checksums/matrix");
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        add_dataset(input, file, names[n], H5T_STD_U32LE, 1, 0);
}

static void build(input_t *input)
{
    static const int version = MESH_FILE_VERSION;
    static const double time_step = 0.5;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0)
        abort();
    hid_t text = H5Tcopy(H5T_C_S1);
    unsigned parts = take(input);
    hsize_t cells = 2 + take(input) % (EXTENT_MAX - 1);
    hsize_t points = 4 + take(input) % (EXTENT_MAX - 4);
    hsize_t width = 1 + take(input) % EXTENT_MAX;
    H5Tset_size(text, 12);
    add_attribute(input, file, "format", text, "fathom-mesh");
    add_attribute(input, file, "source", text, "the fuzzer.");
    add_attribute(input, file, "version", H5T_NATIVE_INT, &version);
    if (parts % 4 != 1) {
        add_group(input, file, "mesh");
        add_dataset(input, file, "/mesh/points", H5T_IEEE_F64LE, points, 3);
        add_dataset(input, file, "/mesh/cells", H5T_STD_I32LE, cells, 4);
        add_dataset(input, file, "/mesh/neighbours", H5T_STD_I32LE, cells, 4);
        add_dataset(input, file, "/mesh/volumes", H5T_IEEE_F64LE, cells, 0);
        add_dataset(input, file, "/mesh/original", H5T_STD_I32LE, cells, 0);
    }
    if (parts % 4 != 2) {
        add_group(input, file, "matrix");
        add_dataset(input, file, "/matrix/D", H5T_IEEE_F64LE, cells, 0);
        add_dataset(input, file, "/matrix/A", H5T_IEEE_F64LE, cells, width);
        add_dataset(input, file, "/matrix/J", H5T_STD_I32LE, cells, width);
        if (parts / 64 == 1)
            add_dataset(input, file, "/matrix/original", H5T_STD_I32LE, cells, 0);
        hid_t group = H5Gopen2(file, "/matrix", H5P_DEFAULT);
        if (group >= 0) {
            add_attribute(input, group, "time_step", H5T_NATIVE_DOUBLE, &time_step);
            H5Gclose(group);
        }
    }
    if (parts / 4 % 16 == 1)
        add_checksums(input, file);
    H5Tclose(text);
    H5Fclose(file);
    cut(input);
}

static void read_parts(input_t *input)
{
    mesh_matrix_file_t *file;
    mesh_matrix_info_t info;
    mesh_error_t error;
    if (!mesh_matrix_file_open(path, &file, &info, &error))
        return;
    if (info.rows <= EXTENT_MAX && info.row_nonzeros <= EXTENT_MAX) {
        double D[EXTENT_MAX];
        double A[EXTENT_MAX * EXTENT_MAX];
        int32_t J[EXTENT_MAX * EXTENT_MAX];
        size_t threads = 1 + take(input) % 5;
        size_t block = 1 + take(input) % EXTENT_MAX;
        for (size_t thread = 0; thread < threads; thread++)
            (void)mesh_matrix_file_read_cyclic(file, block, thread, threads, D, A, J, &error);
        bool is_known;
        (void)mesh_matrix_file_read_original(file, &is_known, J, &error);
        (void)mesh_matrix_file_read_rows(file, take(input), take(input), D, A, J, &error);
    }
    mesh_matrix_file_close(file);
}

static void remove_file(void)
{
    unlink(path);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the signature is libFuzzer's. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    int file = mkstemp(path);
    if (file < 0)
        abort();
    close(file);
    atexit(remove_file);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input_t input = {data, size};
    mesh_file_content_t content;
    mesh_error_t error;
    build(&input);
    read_parts(&input);
    if (!mesh_file_read(path, &content, &error))
        return 0;
    mesh_bandwidth_t width = mesh_matrix_bandwidth(&content.matrix);
    if (content.matrix.rows > 0 && width.largest >= content.matrix.rows)
        abort();
    mesh_file_content_free(&content);
    return 0;
}
