/* TetGen and Matrix Market text: what is accepted, and what each kind of damage is answered
 * with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "sample.h"

static mesh_error_t error;

static const char nodes_from_0[] = "# a comment\n"
                                   "5 3 1 1\n"
                                   "0 0 0 0  7 1\n"
                                   "1 1e0 0 0  7 1 # more\n"
                                   "\n"
                                   "2 0 1.0 0  7 1\n"
                                   "3 0 0 +1  7 1\r\n"
                                   "4 1 1 1  7 1\n";
static const char cells_from_0[] = "2 4 0\n0 0 1 2 3\n1 1 2 4 3";
static const char nodes_from_1[] = "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n";
static const char cells_from_1[] = "2 4 1\n1 1 2 3 4 9\n2 2 3 5 4 9\n# end\n";

static bool parse_mesh(const char *nodes, const char *cells, mesh_geometry_t *mesh)
{
    error.text[0] = '\0';
    return mesh_tetgen_parse("m.node", nodes, strlen(nodes), "m.ele", cells, strlen(cells), mesh,
                             &error);
}

static void refuse_mesh(const char *nodes, const char *cells, const char *expected)
{
    mesh_geometry_t mesh;
    if (parse_mesh(nodes, cells, &mesh))
        fail_msg("accepted, where '%s' was expected", expected);
    if (strstr(error.text, expected) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, expected);
}

static void test_tetgen(void **state)
{
    mesh_geometry_t a;
    mesh_geometry_t b;
    (void)state;
    assert_true(parse_mesh(nodes_from_0, cells_from_0, &a));
    assert_true(parse_mesh(nodes_from_1, cells_from_1, &b));
    assert_memory_equal(a.corners, b.corners, 8 * sizeof *a.corners);
    assert_memory_equal(a.xyz, b.xyz, 15 * sizeof *a.xyz);
    assert_int_equal(a.cells, 2);
    assert_true(a.volumes[0] > 0.166 && a.volumes[0] < 0.167 && a.volumes[1] > 0.0);
    assert_int_equal(a.neighbours[0], 1);
    assert_int_equal(a.neighbours[1], -1);
    mesh_geometry_free(&b);
    mesh_geometry_free(&a);
}

static void test_turned_cell(void **state)
{
    mesh_geometry_t mesh;
    (void)state;
    assert_true(parse_mesh(nodes_from_0, "1 4\n0 0 2 1 3\n", &mesh));
    assert_true(mesh.volumes[0] > 0.0);
    assert_int_equal(mesh.corners[1], 2);
    assert_int_equal(mesh.corners[2], 3);
    mesh_geometry_free(&mesh);
}

static void test_bad_tetgen(void **state)
{
    const char *good = nodes_from_0;
    (void)state;
    refuse_mesh("", cells_from_0, "m.node: holds no header");
    refuse_mesh("1 2 0 0\n0 0 0\n", cells_from_0, "m.node:1: the mesh has 2 dimensions");
    refuse_mesh("x", cells_from_0, "m.node:1: number of points 'x'");
    refuse_mesh("2000000000 3 0 0\n0 0 0 0\n", cells_from_0, "m.node:1: announces 2000000000");
    refuse_mesh("5 3 0 0\n0 0.00 0.00 0.00\n1 1 0 0\n2 1 1 1\n", cells_from_0,
                "m.node:5: the file ends after 3 of 5 points");
    refuse_mesh("4 3 0 0\n0 0 0 0\n1 1 0 nan\n2 0 0 0\n3 0 0 0\n", cells_from_0,
                "m.node:3: coordinate 'nan' is not a finite decimal number");
    refuse_mesh("4 3 0 0\n0 0 0 0\n1 1 1e999 0\n2 0 0 0\n3 0 0 0\n", cells_from_0,
                "m.node:3: coordinate '1e999'");
    refuse_mesh("4 3 0 0\n0 0 0 0\n1 1 0\n2 0 0 0\n3 0 0 0\n", cells_from_0,
                "m.node:3: coordinate is missing: the line ends here");
    refuse_mesh("4 3 0 0\n0 0 0 0\n2 1 0 0\n2 0 0 0\n3 0 0 0\n", cells_from_0,
                "m.node:3: point number '2'");
    refuse_mesh("4 3 0 0\n0 0 0 0\n1 1 0x10 0\n2 0 0 0\n3 0 0 0\n", cells_from_0,
                "m.node:3: coordinate '0x10' is not a finite decimal number");
    refuse_mesh("4 3 0 0\n0 0 0 0\n1 1 0,5 0\n2 0 0 0\n3 0 0 0\n", cells_from_0,
                "m.node:3: '0' is one word too many for a point");
    refuse_mesh("4 3 1 1\n0 0 0 0 1\n1 1 0 0\n2 0 0 0\n3 0 0 0\n", cells_from_0,
                "m.node:2: a point lacks some of the 2 words that the header says come last");
    refuse_mesh("1 3 0 0 9\n0 0 0 0\n", cells_from_0,
                "m.node:1: '9' is one word too many for the header");
    refuse_mesh(good, "1 4 -1\n0 0 1 2 3\n", "m.ele:1: number of attributes '-1'");
    refuse_mesh(good, "1 4 0\n0 0 1 2 3 junk\n", "m.ele:2: 'junk' is one word too many");
    refuse_mesh(good, "1 3 0\n0 0 1 2\n", "m.ele:1: number of corners '3'");
    refuse_mesh(good, "1 4 0\n0 0 1 2 5\n",
                "m.ele:2: corner '5' is not a whole number from 0 to 4");
    refuse_mesh(good, "1 4 0\n0 0 1 2 -1\n", "m.ele:2: corner '-1'");
    refuse_mesh(good, "1 4 0\n0 0 1 2 2\n", "has point 2 twice");
    refuse_mesh(good, "2 4 0\n0 0 1 2 3\n", "m.ele:3: the file ends after 1 of 2 cells");
    refuse_mesh("4 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 1 1 0\n", "1 4\n0 0 1 2 3\n", "is flat");
    refuse_mesh(good, "3 4\n0 0 1 2 3\n1 0 1 2 4\n2 2 1 0 3\n", "belongs to more than two cells");
}

static bool parse_matrix(const char *text, mesh_matrix_t *matrix)
{
    error.text[0] = '\0';
    return mesh_matrix_market_parse("m.mtx", text, strlen(text), 3, matrix, &error);
}

static void refuse_matrix(const char *text, const char *expected)
{
    mesh_matrix_t matrix;
    if (parse_matrix(text, &matrix))
        fail_msg("accepted, where '%s' was expected", expected);
    if (strstr(error.text, expected) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, expected);
}

static void test_matrix_market(void **state)
{
    static const double A[] = {2.5, 0.0, -1.0, 4.0, 0.0, 0.0};
    static const int32_t J[] = {1, 0, 0, 2, 2, 2};
    mesh_matrix_t matrix;
    (void)state;
    assert_true(parse_matrix("%%MatrixMarket matrix coordinate real general\n% note\n\n3 3 5\n"
                             "2 3 4.0\n1 1 7\n1 2 1.5\n2 1 -1\n1 2 1\n",
                             &matrix));
    assert_int_equal(matrix.rows, 3);
    assert_int_equal(matrix.row_nonzeros, 2);
    assert_memory_equal(matrix.A, A, sizeof A);
    assert_memory_equal(matrix.J, J, sizeof J);
    assert_true(matrix.D[0] == 7.0 && matrix.D[1] == 0.0 && matrix.D[2] == 0.0);
    mesh_matrix_free(&matrix);
    assert_true(parse_matrix("%%MatrixMarket MATRIX Coordinate pattern SYMMETRIC\n2 2 2\n1 1\n2 1",
                             &matrix));
    assert_true(matrix.D[0] == 1.0 && matrix.A[0] == 1.0 && matrix.A[1] == 1.0);
    assert_true(matrix.J[0] == 1 && matrix.J[1] == 0);
    mesh_matrix_free(&matrix);
    assert_true(parse_matrix("%%MatrixMarket matrix coordinate integer general\n1 1 0\n", &matrix));
    assert_int_equal(matrix.row_nonzeros, 1);
    mesh_matrix_free(&matrix);
}

#define BANNER "%%MatrixMarket matrix coordinate real general\n"

static void test_bad_matrix_market(void **state)
{
    const long most_pages = 80000000000 / sysconf(_SC_PAGESIZE);
    (void)state;
    refuse_matrix("", "m.mtx:1: the line does not begin with '%%MatrixMarket matrix'");
    refuse_matrix("%%MatrixMarket matrix array real general\n", "only the 'coordinate' format");
    refuse_matrix("%%MatrixMarket matrix coordinate complex general\n", "only real, integer");
    refuse_matrix("%%MatrixMarket matrix coordinate real hermitian\n",
                  "only general, symmetric and skew-symmetric");
    refuse_matrix(BANNER "% only\n", "m.mtx:3: the file ends before the line of sizes");
    refuse_matrix(BANNER "2 3 1\n1 1 1\n", "m.mtx:2: the matrix has 2 rows and 3 columns");
    refuse_matrix(BANNER "2 2 2\n1 1 1\n", "m.mtx:4: the file ends after 1 of 2 entries");
    refuse_matrix(BANNER "2 2 1\n1 1 1\n2 2 2\n", "m.mtx:4: more than the announced 1 entries");
    refuse_matrix(BANNER "2 2 900000000\n1 1 1\n", "announces 900000000 entries");
    if (sysconf(_SC_PHYS_PAGES) < most_pages)
        refuse_matrix(BANNER "2000000000 2000000000 1\n1 1 1\n",
                      "m.mtx:2: announces 2000000000 rows, which take 80000000000 bytes of memory");
    refuse_matrix(BANNER "2 2 1\n1 3 1\n", "m.mtx:3: column '3' is not a whole number from 1 to 2");
    refuse_matrix(BANNER "2 2 1\n0 1 1\n", "m.mtx:3: row '0'");
    refuse_matrix(BANNER "2 2 1\n1 1 inf\n", "m.mtx:3: value 'inf' is not a finite decimal number");
    refuse_matrix(BANNER "2 2 1\n1 1 0x1p3\n", "m.mtx:3: value '0x1p3' is not a finite decimal");
    refuse_matrix(BANNER "2 2 1\n1 1 1,5\n", "m.mtx:3: value '1,5' is not a finite decimal number");
    refuse_matrix(BANNER "2 2 1\n1 1 1e999\n", "m.mtx:3: value '1e999' is not a finite decimal");
    refuse_matrix(BANNER "2 2 1\n1 1 1.5 2.5\n",
                  "m.mtx:3: '2.5' is one word too many for an entry");
    refuse_matrix(BANNER "2 2 1 7\n1 1 1\n",
                  "m.mtx:2: '7' is one word too many for the line of sizes");
    refuse_matrix(BANNER "2 2 1e0\n1 1 1\n", "m.mtx:2: number of entries '1e0' is not a whole");
    refuse_matrix("%%MatrixMarket matrix coordinate real general junk\n",
                  "m.mtx:1: 'junk' is one word too many for the first line");
    refuse_matrix("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n",
                  "m.mtx:3: value '1.5' is not a whole number from -9007199254740992 to");
    refuse_matrix("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 9007199254740993\n",
                  "m.mtx:3: value '9007199254740993' is not a whole number");
    refuse_matrix(BANNER "2 2 1\n1 1\n", "m.mtx:3: value is missing");
    refuse_matrix(BANNER "1 1 2\n1 1 1e308\n1 1 1e308\n", "row 1");
    refuse_matrix(BANNER "5 5 4\n2 1 1\n2 3 1\n2 4 1\n2 5 1\n",
                  "row 2 has 4 off-diagonals, more than 3 (--max-row-nonzeros)");
}

/* A zero byte is a character like others, and ends nothing. */
static void test_zero_byte(void **state)
{
    static const char text[] = BANNER "1 1 1\n1 1 1.5\0junk\n";
    static const char banner[] = "%%MatrixMarket matrix coordinate real general\0junk\n1 1 0\n";
    mesh_matrix_t matrix;
    (void)state;
    assert_false(mesh_matrix_market_parse("m.mtx", text, sizeof text - 1, 3, &matrix, &error));
    assert_non_null(strstr(error.text, "m.mtx:3: value '1.5?junk' is not a finite decimal number"));
    assert_false(mesh_matrix_market_parse("m.mtx", banner, sizeof banner - 1, 3, &matrix, &error));
    assert_non_null(strstr(error.text, "only general, symmetric and skew-symmetric"));
}

/* Numbers are read whole, however long; a message shows the beginning. */
static void test_long_numbers(void **state)
{
    char text[512];
    mesh_matrix_t matrix;
    mesh_geometry_t mesh;
    (void)state;
    snprintf(text, sizeof text, "%s1 1 1\n1 1 1.%058de-05\n", BANNER, 0);
    assert_true(parse_matrix(text, &matrix));
    assert_true(matrix.D[0] == 1e-5);
    mesh_matrix_free(&matrix);
    snprintf(text, sizeof text, "%s1 1 1\n%070d1 1 1\n", BANNER, 0);
    assert_true(parse_matrix(text, &matrix));
    mesh_matrix_free(&matrix);
    snprintf(text, sizeof text, "%s1 1 1\n1 1 1.%0100dx\n", BANNER, 0);
    refuse_matrix(text, "value '1.00000000000000000000000000000000000000...' is not");
    snprintf(text, sizeof text, "4 3\n0 0 0 0\n1 1.%080de-05 0 0\n2 0 1 0\n3 0 0 1\n", 0);
    assert_true(parse_mesh(text, "1 4\n0 0 1 2 3\n", &mesh));
    assert_true(mesh.xyz[3] == 1e-5);
    mesh_geometry_free(&mesh);
}

/* Fewer entries than rows, and none: fewer bytes are left then than there are rows. */
static void test_sparse(void **state)
{
    mesh_matrix_t matrix;
    (void)state;
    assert_true(parse_matrix(BANNER "1000 1000 1\n7 8 9\n", &matrix));
    assert_int_equal(matrix.rows, 1000);
    assert_true(matrix.A[6] == 9.0 && matrix.J[6] == 7 && matrix.J[999] == 999);
    mesh_matrix_free(&matrix);
    assert_true(parse_matrix(BANNER "1000 1000 0\n", &matrix));
    assert_int_equal(mesh_matrix_offdiagonals(&matrix), 0);
    mesh_matrix_free(&matrix);
}

static void test_symmetries(void **state)
{
    static const char skew[] = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
    char text[256];
    mesh_matrix_t matrix;
    (void)state;
    snprintf(text, sizeof text, "%s3 3 3\n2 1 2.5\n3 1 -1\n2 2 0\n", skew);
    assert_true(parse_matrix(text, &matrix));
    assert_int_equal(matrix.row_nonzeros, 2);
    assert_true(matrix.D[0] == 0.0 && matrix.D[1] == 0.0);
    assert_true(matrix.A[0] == -2.5 && matrix.J[0] == 1 && matrix.A[1] == 1.0 && matrix.J[1] == 2);
    assert_true(matrix.A[2] == 2.5 && matrix.J[2] == 0 && matrix.A[4] == -1.0 && matrix.J[4] == 0);
    mesh_matrix_free(&matrix);
    assert_true(
        parse_matrix("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 7\n", &matrix));
    assert_true(matrix.A[0] == 7.0 && matrix.A[1] == 7.0);
    mesh_matrix_free(&matrix);
    snprintf(text, sizeof text, "%s3 3 2\n2 1 2.5\n3 3 1e-9\n", skew);
    refuse_matrix(text, "m.mtx:4: value 1e-09 on the diagonal of a skew-symmetric matrix");
    snprintf(text, sizeof text, "%s3 3 3\n2 1 2.5\n3 3 0\n1 2 -2.5\n", skew);
    refuse_matrix(text, "m.mtx:5: row 1, column 2: line 3 is of the other half");
    refuse_matrix("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 2 7\n2 1 7\n",
                  "m.mtx:4: row 2, column 1: line 3 is of the other half");
    refuse_matrix("%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n",
                  "m.mtx:1: a pattern matrix has no signs");
}

static size_t pack(const char *path, const char *text, unsigned char *bytes, size_t room)
{
    gzFile out = gzopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(gzputs(out, text), strlen(text));
    assert_int_equal(gzclose(out), Z_OK);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t nbytes = fread(bytes, 1, room, in);
    fclose(in);
    return nbytes;
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t nbytes)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, nbytes, out), nbytes);
    assert_int_equal(fclose(out), 0);
}

/* Whether a matrix is read, which then is the one that was packed. */
static bool read_packed(const char *path, const mesh_matrix_t *expected)
{
    mesh_matrix_t matrix;
    if (!mesh_matrix_market_read(path, 10, &matrix, &error))
        return false;
    assert_int_equal(matrix.rows, expected->rows);
    assert_memory_equal(matrix.D, expected->D, matrix.rows * sizeof *matrix.D);
    mesh_matrix_free(&matrix);
    return true;
}

/* A byte changed anywhere, a cut, an addition: refused, or what was packed comes out all the
 * same, as after a change of gzip's time stamp. Two packed files in one are one text. */
static void test_packed(void **state)
{
    static const char text[] = BANNER "3 3 3\n1 1 1.25\n2 2 -2.5\n3 3 1e-7\n";
    unsigned char bytes[2048];
    char half[sizeof text];
    char path[256];
    mesh_matrix_t expected;
    size_t read = 0;
    (void)state;
    snprintf(path, sizeof path, "%s", sample_path("a.mtx.gz"));
    assert_true(parse_matrix(text, &expected));
    size_t nbytes = pack(path, text, bytes, sizeof bytes);
    assert_true(read_packed(path, &expected));
    for (size_t b = 0; b < nbytes; b++) {
        bytes[b] ^= 0x15;
        write_bytes(path, bytes, nbytes);
        read += read_packed(path, &expected);
        bytes[b] ^= 0x15;
    }
    assert_in_range(read, 1, 10);
    for (size_t cut = 1; cut < nbytes; cut++) {
        write_bytes(path, bytes, cut);
        assert_false(read_packed(path, &expected));
    }
    bytes[nbytes] = 'x';
    write_bytes(path, bytes, nbytes + 1);
    assert_false(read_packed(path, &expected));
    snprintf(half, sizeof half, "%.60s", text);
    nbytes = pack(path, half, bytes, sizeof bytes);
    nbytes += pack(path, text + 60, bytes + nbytes, sizeof bytes - nbytes);
    write_bytes(path, bytes, nbytes);
    assert_true(read_packed(path, &expected));
    mesh_matrix_free(&expected);
}

/* Text that packs a thousandfold. */
static void test_much_packed(void **state)
{
    char path[256];
    mesh_matrix_t matrix;
    (void)state;
    snprintf(path, sizeof path, "%s", sample_path("b.mtx.gz"));
    gzFile out = gzopen(path, "wb");
    assert_non_null(out);
    gzputs(out, BANNER "1 1 1\n");
    for (size_t i = 0; i < 1000; i++)
        gzprintf(out, "%*s\n", 4000, "");
    gzputs(out, "1 1 7\n");
    assert_int_equal(gzclose(out), Z_OK);
    if (!mesh_matrix_market_read(path, 3, &matrix, &error))
        fail_msg("%s", error.text);
    assert_true(matrix.D[0] == 7.0);
    mesh_matrix_free(&matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tetgen),
        cmocka_unit_test(test_turned_cell),
        cmocka_unit_test(test_bad_tetgen),
        cmocka_unit_test(test_matrix_market),
        cmocka_unit_test(test_bad_matrix_market),
        cmocka_unit_test(test_zero_byte),
        cmocka_unit_test(test_long_numbers),
        cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_symmetries),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_much_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
