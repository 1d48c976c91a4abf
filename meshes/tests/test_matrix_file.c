/* What is written to a mesh file is what is read, whole or in parts, and damaged files are
 * refused with one line that names the dataset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sample.h"

enum {
    ROWS = 103,
    WIDTH = 5
};

static mesh_error_t error;

static void write_sample(const char *path)
{
    mesh_file_content_t content = {.matrix = sample_matrix(ROWS, WIDTH, 7), .source = "a test"};
    if (!mesh_file_write(path, &content, &error))
        fail_msg("%s", error.text);
    mesh_matrix_free(&content.matrix);
}

static void check_rows(const mesh_matrix_t *whole, size_t row, size_t at, const double *D,
                       const double *A, const int32_t *J)
{
    assert_memory_equal(whole->D + row, D + at, sizeof *D);
    assert_memory_equal(whole->A + row * WIDTH, A + at * WIDTH, WIDTH * sizeof *A);
    assert_memory_equal(whole->J + row * WIDTH, J + at * WIDTH, WIDTH * sizeof *J);
}

static void test_whole(void **state)
{
    (void)state;
    mesh_file_content_t content = {.mesh = sample_cube(3, 0.3, 1), .source = "a cube"};
    mesh_file_content_t read;
    assert_true(mesh_diffusion_make(&content.mesh, NULL, &content.matrix, NULL, &error));
    assert_true(mesh_file_write(sample_path("whole.h5"), &content, &error));
    assert_true(mesh_file_read(sample_path("whole.h5"), &read, &error));
    size_t n = content.mesh.cells;
    assert_int_equal(read.mesh.cells, n);
    assert_memory_equal(read.mesh.xyz, content.mesh.xyz, 24 * content.mesh.points);
    assert_memory_equal(read.mesh.corners, content.mesh.corners, 16 * n);
    assert_memory_equal(read.mesh.neighbours, content.mesh.neighbours, 16 * n);
    assert_memory_equal(read.mesh.volumes, content.mesh.volumes, 8 * n);
    assert_memory_equal(read.matrix.A, content.matrix.A, 8 * n * 16);
    assert_true(read.matrix.time_step == content.matrix.time_step);
    assert_string_equal(read.source, "a cube");
    mesh_file_content_free(&read);
    mesh_file_content_free(&content);
}

static void test_cyclic(void **state)
{
    static const size_t blocks[] = {1, 2, 7, 34, 35, 103, 1000};
    static const size_t threads[] = {1, 2, 3, 4, 8, 200};
    (void)state;
    mesh_matrix_t whole = sample_matrix(ROWS, WIDTH, 7);
    mesh_matrix_file_t *file;
    mesh_matrix_info_t info;
    double D[ROWS];
    double A[ROWS * WIDTH];
    int32_t J[ROWS * WIDTH];
    write_sample(sample_path("m.h5"));
    assert_true(mesh_matrix_file_open(sample_path("m.h5"), &file, &info, &error));
    assert_int_equal(info.rows, ROWS);
    assert_int_equal(info.row_nonzeros, WIDTH);
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            size_t seen = 0;
            for (size_t thread = 0; thread < threads[t]; thread++) {
                size_t at = 0;
                assert_true(mesh_matrix_file_read_cyclic(file, blocks[b], thread, threads[t], D, A,
                                                         J, &error));
                for (size_t row = 0; row < ROWS; row++)
                    if (row / blocks[b] % threads[t] == thread)
                        check_rows(&whole, row, at++, D, A, J);
                assert_int_equal(at,
                                 mesh_matrix_file_cyclic_rows(ROWS, blocks[b], thread, threads[t]));
                seen += at;
            }
            assert_int_equal(seen, ROWS);
        }
    assert_true(mesh_matrix_file_read_rows(file, 100, 3, D, NULL, NULL, &error));
    assert_memory_equal(D, whole.D + 100, 3 * sizeof *D);
    assert_true(mesh_matrix_file_read_rows(file, ROWS, 0, NULL, NULL, NULL, &error));
    assert_false(mesh_matrix_file_read_rows(file, 100, 4, D, A, J, &error));
    assert_false(mesh_matrix_file_read_cyclic(file, 0, 0, 1, D, A, J, &error));
    assert_false(mesh_matrix_file_read_cyclic(file, 1, 2, 2, D, A, J, &error));
    mesh_matrix_file_close(file);
    mesh_matrix_free(&whole);
}

/* Opens and reads everything; the message must hold `expected`. */
static void expect_refusal(const char *path, const char *expected)
{
    mesh_file_content_t content;
    error.text[0] = '\0';
    if (mesh_file_read(path, &content, &error))
        fail_msg("%s: accepted, where '%s' was expected", path, expected);
    if (strstr(error.text, expected) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, expected);
    assert_null(strchr(error.text, '\n'));
    assert_non_null(strstr(error.text, path));
}

static void remove_link(const char *path, const char *name)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    H5Fclose(file);
}

/* A file as it was written before there were checksums. */
static void write_old_sample(const char *path)
{
    write_sample(path);
    remove_link(path, "/checksums");
}

static void poke(const char *dataset, hid_t type, hsize_t place, const void *value)
{
    hsize_t one[2] = {1, 1};
    hsize_t start[2] = {place, 0};
    hid_t file = H5Fopen(sample_path("bad.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t opened = H5Dopen2(file, dataset, H5P_DEFAULT);
    hid_t space = H5Dget_space(opened);
    hid_t memory = H5Screate_simple(1, one, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, one, NULL);
    assert_true(H5Dwrite(opened, type, memory, space, H5P_DEFAULT, value) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(opened);
    H5Fclose(file);
}

static void replace(const char *dataset, hid_t type, int rank, hsize_t rows, hsize_t columns,
                    int chunked)
{
    hsize_t extent[2] = {rows, columns};
    hid_t file = H5Fopen(sample_path("bad.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t space = H5Screate_simple(rank, extent, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (chunked)
        H5Pset_chunk(creation, rank, extent);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    H5Ldelete(file, dataset, H5P_DEFAULT);
    hid_t made = H5Dcreate2(file, dataset, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(made >= 0);
    H5Dclose(made);
    H5Pclose(creation);
    H5Sclose(space);
    H5Fclose(file);
}

static void test_values(void **state)
{
    const double bad = NAN;
    const double infinite = INFINITY;
    const int32_t beyond = ROWS;
    const int32_t negative = -1;
    (void)state;
    write_old_sample(sample_path("bad.h5"));
    poke("/matrix/D", H5T_NATIVE_DOUBLE, 17, &bad);
    expect_refusal(sample_path("bad.h5"), "dataset /matrix/D: row 17 (0-based) holds");
    write_old_sample(sample_path("bad.h5"));
    poke("/matrix/A", H5T_NATIVE_DOUBLE, 18, &infinite);
    expect_refusal(sample_path("bad.h5"), "dataset /matrix/A: row 18 (0-based) holds inf");
    write_old_sample(sample_path("bad.h5"));
    poke("/matrix/J", H5T_NATIVE_INT32, 102, &beyond);
    expect_refusal(sample_path("bad.h5"), "/matrix/J: row 102 (0-based) names column 103");
    poke("/matrix/J", H5T_NATIVE_INT32, 0, &negative);
    expect_refusal(sample_path("bad.h5"), "/matrix/J: row 0 (0-based) names column -1");
}

/* A cell names one that does not name it, itself, or one twice. */
static void test_mutual(void **state)
{
    int32_t stranger = -1;
    const int32_t itself = 0;
    (void)state;
    mesh_file_content_t content = {.mesh = sample_cube(2, 0.0, 1)};
    const int32_t *neighbours = content.mesh.neighbours;
    bool is_near;
    do {
        stranger++;
        is_near = false;
        for (size_t k = 0; k < 4; k++)
            is_near |= neighbours[k] == stranger || stranger == 0;
    } while (is_near);
    assert_true(mesh_file_write(sample_path("bad.h5"), &content, &error));
    remove_link(sample_path("bad.h5"), "/checksums");
    poke("/mesh/neighbours", H5T_NATIVE_INT32, 0, &stranger);
    expect_refusal(sample_path("bad.h5"), "dataset /mesh/neighbours: cell 0 (0-based) names cell");
    poke("/mesh/neighbours", H5T_NATIVE_INT32, 0, &itself);
    expect_refusal(sample_path("bad.h5"), "/mesh/neighbours: cell 0 (0-based) names itself");
    size_t other = 1;
    while (neighbours[other] < 0)
        other++;
    char twice[80];
    snprintf(twice, sizeof twice, "cell 0 (0-based) names cell %d twice", neighbours[other]);
    poke("/mesh/neighbours", H5T_NATIVE_INT32, 0, neighbours + other);
    expect_refusal(sample_path("bad.h5"), twice);
    content.mesh.neighbours[0] = neighbours[other];
    assert_false(mesh_file_write(sample_path("twice.h5"), &content, &error));
    assert_non_null(strstr(error.text, twice));
    mesh_file_content_free(&content);
}

/* As h5py writes it. */
static void set_variable_text(const char *path, const char *name, const char *text)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate(H5S_SCALAR);
    assert_true(H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Adelete(file, name) >= 0);
    hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, type, &text) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(file);
}

static void test_variable_text(void **state)
{
    mesh_file_content_t content;
    char longest[1100];
    (void)state;
    write_sample(sample_path("text.h5"));
    set_variable_text(sample_path("text.h5"), "format", "fathom-mesh");
    assert_true(mesh_file_read(sample_path("text.h5"), &content, &error));
    mesh_file_content_free(&content);
    set_variable_text(sample_path("text.h5"), "format", "fathom-mush");
    expect_refusal(sample_path("text.h5"), "attribute 'format' is not 'fathom-mesh'");
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    set_variable_text(sample_path("text.h5"), "format", longest);
    expect_refusal(sample_path("text.h5"), "attribute 'format' is not 'fathom-mesh'");
}

/* What is optional must not look absent because it is a link. */
static void test_links(void **state)
{
    static const char *const names[] = {"/checksums", "/mesh", "/matrix/original"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        write_sample(sample_path("bad.h5"));
        hid_t file = H5Fopen(sample_path("bad.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(file >= 0);
        if (H5Lexists(file, names[i], H5P_DEFAULT) > 0)
            assert_true(H5Lmove(file, names[i], file, "/elsewhere", H5P_DEFAULT, H5P_DEFAULT) >= 0);
        if (strcmp(names[i], "/matrix/original") == 0) /* that of a mesh would be read */
            (void)H5Ldelete(file, "/mesh", H5P_DEFAULT);
        assert_true(H5Lcreate_soft("/elsewhere", file, names[i], H5P_DEFAULT, H5P_DEFAULT) >= 0);
        H5Fclose(file);
        char expected[80];
        snprintf(expected, sizeof expected, "%s is a link to elsewhere", names[i]);
        expect_refusal(sample_path("bad.h5"), expected);
    }
}

/* What is read of an open file is of that file, though another has got its name. */
static void test_replaced(void **state)
{
    mesh_matrix_file_t *file;
    mesh_matrix_info_t info;
    mesh_matrix_info_t other_info;
    mesh_matrix_file_t *other;
    const double value = 0.5;
    (void)state;
    write_sample(sample_path("m.h5"));
    assert_true(mesh_matrix_file_open(sample_path("m.h5"), &file, &info, &error));
    double *D = malloc(2 * info.rows * sizeof *D);
    assert_non_null(D);
    assert_true(mesh_matrix_file_read_rows(file, 0, info.rows, D, NULL, NULL, &error));
    write_old_sample(sample_path("bad.h5"));
    poke("/matrix/D", H5T_NATIVE_DOUBLE, 1, &value);
    assert_int_equal(rename(sample_path("bad.h5"), sample_path("m.h5")), 0);
    assert_true(mesh_matrix_file_read_rows(file, 0, info.rows, D + info.rows, NULL, NULL, &error));
    assert_memory_equal(D, D + info.rows, info.rows * sizeof *D);
    assert_true(mesh_matrix_file_open(sample_path("m.h5"), &other, &other_info, &error));
    assert_true(other_info.digest != info.digest);
    mesh_matrix_file_close(other);
    mesh_matrix_file_close(file);
    free(D);
}

static void test_checksums(void **state)
{
    const double value = 0.5;
    const uint32_t checksum = 7;
    mesh_file_content_t content;
    (void)state;
    write_sample(sample_path("bad.h5"));
    assert_true(mesh_file_read(sample_path("bad.h5"), &content, &error));
    assert_true(content.has_checksums);
    mesh_file_content_free(&content);
    poke("/matrix/A", H5T_NATIVE_DOUBLE, 18, &value);
    expect_refusal(sample_path("bad.h5"), "dataset /matrix/A: damaged: rows 0 to 102 (0-based)");
    write_sample(sample_path("bad.h5"));
    poke("/checksums/matrix/J", H5T_NATIVE_UINT32, 0, &checksum);
    expect_refusal(sample_path("bad.h5"), "dataset /matrix/J: damaged");
    remove_link(sample_path("bad.h5"), "/checksums/matrix/J");
    expect_refusal(sample_path("bad.h5"), "dataset /checksums/matrix/J: is missing");
    write_sample(sample_path("bad.h5"));
    replace("/checksums/matrix/D", H5T_STD_U32LE, 1, 2, 1, 0);
    expect_refusal(sample_path("bad.h5"), "/checksums/matrix/D: has 2 checksums for 1 pieces");
    write_old_sample(sample_path("bad.h5"));
    poke("/matrix/A", H5T_NATIVE_DOUBLE, 18, &value);
    assert_true(mesh_file_read(sample_path("bad.h5"), &content, &error));
    assert_false(content.has_checksums);
    mesh_file_content_free(&content);
}

static size_t read_bytes(const char *path, unsigned char *bytes, size_t room)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t nbytes = fread(bytes, 1, room, in);
    assert_true(nbytes < room);
    fclose(in);
    return nbytes;
}

static bool same_content(const mesh_file_content_t *a, const mesh_file_content_t *b)
{
    size_t n = a->mesh.cells;
    size_t entries = a->matrix.rows * a->matrix.row_nonzeros;
    return n == b->mesh.cells && a->mesh.points == b->mesh.points &&
           a->matrix.rows == b->matrix.rows && a->matrix.row_nonzeros == b->matrix.row_nonzeros &&
           memcmp(a->mesh.xyz, b->mesh.xyz, 24 * a->mesh.points) == 0 &&
           memcmp(a->mesh.corners, b->mesh.corners, 16 * n) == 0 &&
           memcmp(a->mesh.neighbours, b->mesh.neighbours, 16 * n) == 0 &&
           memcmp(a->mesh.volumes, b->mesh.volumes, 8 * n) == 0 &&
           memcmp(a->mesh.original, b->mesh.original, 4 * n) == 0 &&
           memcmp(a->matrix.D, b->matrix.D, 8 * a->matrix.rows) == 0 &&
           memcmp(a->matrix.A, b->matrix.A, 8 * entries) == 0 &&
           memcmp(a->matrix.J, b->matrix.J, 4 * entries) == 0 &&
           a->matrix.time_step == b->matrix.time_step && strcmp(a->source, b->source) == 0;
}

/* Any byte of a file may be another: the reader says so, or nothing that is read has changed. One
 * byte in BYTES_APART, from a place that the time draws; all of them under FATHOM_TEST_LONG. */
static void test_any_byte(void **state)
{
    enum {
        BYTES_APART = 7
    };
    static unsigned char bytes[1 << 17];
    size_t apart = getenv("FATHOM_TEST_LONG") != NULL ? 1 : BYTES_APART;
    size_t tried = 0;
    mesh_geometry_t mesh = sample_cube(1, 0.0, 1);
    mesh_matrix_t matrix;
    char path[256];
    size_t harmless = 0;
    (void)state;
    snprintf(path, sizeof path, "%s", sample_path("bytes.h5"));
    assert_true(mesh_diffusion_make(&mesh, NULL, &matrix, NULL, &error));
    mesh_file_content_t content = {.mesh = mesh, .matrix = matrix, .source = "a cube"};
    assert_true(mesh_file_write(path, &content, &error));
    size_t nbytes = read_bytes(path, bytes, sizeof bytes);
    for (size_t b = (size_t)time(NULL) % apart; b < nbytes; b += apart) {
        mesh_file_content_t read;
        FILE *out = fopen(path, "r+b");
        assert_non_null(out);
        fseek(out, (long)b, SEEK_SET);
        fputc(bytes[b] ^ (b % 2 == 0 ? 0x01 : 0x80), out);
        fclose(out);
        error.text[0] = '\0';
        bool is_read = mesh_file_read(path, &read, &error);
        if (is_read && !same_content(&read, &content))
            fail_msg("byte %zu of %zu is another, and nothing is said", b, nbytes);
        if (!is_read && (error.text[0] == '\0' || strchr(error.text, '\n') != NULL))
            fail_msg("byte %zu: '%s'", b, error.text);
        if (is_read)
            mesh_file_content_free(&read);
        harmless += is_read;
        tried++;
        out = fopen(path, "r+b");
        assert_non_null(out);
        fseek(out, (long)b, SEEK_SET);
        fputc(bytes[b], out);
        fclose(out);
    }
    printf("%zu of %zu bytes matter\n", tried - harmless, tried);
    assert_true(harmless < tried / 4);
    mesh_file_content_free(&content);
}

static void test_shapes(void **state)
{
    (void)state;
    write_sample(sample_path("bad.h5"));
    replace("/matrix/D", H5T_IEEE_F64LE, 1, ROWS + 1, 1, 0);
    expect_refusal(sample_path("bad.h5"), "/matrix/A: has 103 rows, /matrix/D 104");
    write_sample(sample_path("bad.h5"));
    replace("/matrix/D", H5T_IEEE_F64LE, 2, ROWS, 1, 0);
    expect_refusal(sample_path("bad.h5"), "/matrix/D: is not a non-empty array of 1 dimension");
    write_sample(sample_path("bad.h5"));
    replace("/matrix/J", H5T_STD_I64LE, 2, ROWS, WIDTH, 0);
    expect_refusal(sample_path("bad.h5"), "/matrix/J: its elements are not signed 32-bit");
    write_sample(sample_path("bad.h5"));
    replace("/matrix/J", H5T_STD_I32LE, 2, ROWS, WIDTH + 1, 0);
    expect_refusal(sample_path("bad.h5"), "/matrix/J: is 103 x 6, /matrix/A 103 x 5");
    write_sample(sample_path("bad.h5"));
    replace("/matrix/A", H5T_IEEE_F64LE, 2, ROWS, WIDTH, 1);
    expect_refusal(sample_path("bad.h5"), "/matrix/A: is not stored contiguously");
}

static void write_version(int version)
{
    hid_t file = H5Fopen(sample_path("bad.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t attribute = H5Aopen(file, "version", H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_INT, &version);
    H5Aclose(attribute);
    H5Fclose(file);
}

static void write_time_step(double time_step)
{
    hid_t file = H5Fopen(sample_path("bad.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t group = H5Gopen(file, "/matrix", H5P_DEFAULT);
    hid_t attribute = H5Aopen(group, "time_step", H5P_DEFAULT);
    assert_true(H5Awrite(attribute, H5T_NATIVE_DOUBLE, &time_step) >= 0);
    H5Aclose(attribute);
    H5Gclose(group);
    H5Fclose(file);
}

static void test_numbers(void **state)
{
    static const double wrong[] = {-0.5, INFINITY, -INFINITY, NAN};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        write_sample(sample_path("bad.h5"));
        write_time_step(wrong[i]);
        expect_refusal(sample_path("bad.h5"), "'time_step' of /matrix is not a finite number");
    }
    mesh_file_content_t content = {.mesh = sample_cube(3, 0.3, 1), .source = "a cube"};
    content.mesh.volumes[0] = content.mesh.volumes[1] = 1e308;
    assert_false(mesh_file_write(sample_path("huge.h5"), &content, &error));
    assert_non_null(strstr(error.text, "/mesh/volumes: its sum is not finite"));
    mesh_geometry_free(&content.mesh);
}

static void refuse_content(const mesh_file_content_t *content, const char *text)
{
    error.text[0] = '\0';
    assert_false(mesh_file_write(sample_path("content.h5"), content, &error));
    assert_non_null(strstr(error.text, text));
    assert_int_not_equal(access(sample_path("content.h5"), F_OK), 0);
}

/* What a reader would refuse for what it is as a whole is not written. */
static void test_content(void **state)
{
    const mesh_file_content_t empty = {.source = "nothing"};
    mesh_file_content_t content = {.mesh = sample_cube(1, 0.0, 1)};
    (void)state;
    refuse_content(&empty, "holds neither a mesh nor a matrix");
    content.matrix = sample_matrix(content.mesh.cells - 1, 2, 1);
    refuse_content(&content, "/matrix/D: has 5 rows for 6 cells");
    mesh_geometry_free(&content.mesh);
    content.matrix.row_nonzeros = 0;
    refuse_content(&content, "/matrix/A: has rows of no places");
    mesh_file_content_free(&content);
}

/* Who may read a file may still, and nobody else, when it is written again. */
static void test_mode(void **state)
{
    struct stat status;
    (void)state;
    write_sample(sample_path("mode.h5"));
    assert_int_equal(chmod(sample_path("mode.h5"), 0640), 0);
    write_sample(sample_path("mode.h5"));
    assert_int_equal(stat(sample_path("mode.h5"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
}

static void test_files(void **state)
{
    struct stat status;
    mesh_matrix_file_t *file = NULL;
    mesh_matrix_info_t info = {0};
    (void)state;
    expect_refusal(sample_path("none.h5"), "No such file");
    expect_refusal("/dev/null", "not a regular file");
    write_sample(sample_path("bad.h5"));
    write_version(2);
    expect_refusal(sample_path("bad.h5"), "attribute 'version' is 2; this program reads version 1");
    write_sample(sample_path("bad.h5"));
    assert_int_equal(stat(sample_path("bad.h5"), &status), 0);
    assert_int_equal(truncate(sample_path("bad.h5"), status.st_size - 8), 0);
    expect_refusal(sample_path("bad.h5"), "truncated or damaged");
    assert_int_equal(truncate(sample_path("bad.h5"), 3), 0);
    expect_refusal(sample_path("bad.h5"), "is not an HDF5 file");
    hid_t foreign = H5Fcreate(sample_path("bad.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(foreign);
    expect_refusal(sample_path("bad.h5"), "not a Fathom mesh file");
    assert_false(mesh_matrix_file_open(sample_path("bad.h5"), &file, &info, &error));
    assert_null(file);
    assert_int_equal(info.rows, 0);
}

/* Whatever the umask is, the owner of a new file may write it. */
static void test_umask(void **state)
{
    struct stat status;
    (void)state;
    mode_t before = umask(0277);
    write_sample(sample_path("new.h5"));
    umask(before);
    assert_int_equal(stat(sample_path("new.h5"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
}

static bool hdf5_fails;

/* In the place of HDF5's, which fails where there is little memory; any of its calls starts it. */
herr_t H5open(void)
{
    return hdf5_fails ? -1 : H5garbage_collect();
}

/* Nothing is begun before HDF5 has started. */
static void test_start(void **state)
{
    mesh_file_content_t content = {.matrix = sample_matrix(3, 2, 1)};
    const double values[] = {1.0, 2.0};
    const mesh_product_t product = {.rows = 2, .x = values, .y = values, .source = ""};
    (void)state;
    write_sample(sample_path("start.h5"));
    hdf5_fails = true;
    assert_false(mesh_file_write("/nowhere/x.h5", &content, &error));
    assert_non_null(strstr(error.text, "HDF5 does not start"));
    assert_false(mesh_product_write("/nowhere/x.h5", &product, &error));
    assert_non_null(strstr(error.text, "HDF5 does not start"));
    expect_refusal(sample_path("start.h5"), "HDF5 does not start");
    hdf5_fails = false;
    mesh_matrix_free(&content.matrix);
}

static void test_nothing_half_written(void **state)
{
    mesh_file_content_t content = {.matrix = sample_matrix(9, 2, 1)};
    (void)state;
    assert_false(mesh_file_write("/nowhere/x.h5", &content, &error));
    assert_non_null(strstr(error.text, "/nowhere/x.h5"));
    const char *taken = sample_path("taken");
    assert_int_equal(mkdir(taken, 0700), 0);
    assert_false(mesh_file_write(taken, &content, &error));
    assert_int_equal(rmdir(taken), 0);
    mesh_matrix_free(&content.matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_cyclic),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_nothing_half_written),
        cmocka_unit_test(test_variable_text),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_checksums),
        cmocka_unit_test(test_any_byte),
        cmocka_unit_test(test_mutual),
        cmocka_unit_test(test_content),
        cmocka_unit_test(test_mode),
        cmocka_unit_test(test_umask),
        cmocka_unit_test(test_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
