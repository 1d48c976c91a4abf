/* What is a mesh: cells that lie side by side. Tangled ones, cells that are there twice, flat ones
 * and numbers beyond doubles are refused with one line, and nothing that is not finite is made or
 * written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample.h"

static mesh_error_t error;

static void expect_error(const char *expected)
{
    if (strstr(error.text, expected) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, expected);
}

/* Six times the volume, with a sign. */
static double determinant(const mesh_geometry_t *mesh, size_t cell)
{
    const double *p[4];
    double e[3][3];
    for (size_t k = 0; k < 4; k++)
        p[k] = mesh->xyz + 3 * (size_t)mesh->corners[4 * cell + k];
    for (size_t k = 0; k < 3; k++)
        for (size_t d = 0; d < 3; d++)
            e[k][d] = p[k + 1][d] - p[0][d];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
           e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/* Cells that have turned over since they were a cube's. */
static size_t count_turned(const mesh_geometry_t *cube, const mesh_geometry_t *mesh)
{
    size_t turned = 0;
    for (size_t i = 0; i < mesh->cells; i++)
        turned += determinant(cube, i) * determinant(mesh, i) <= 0.0;
    return turned;
}

/* A cube is shaken more and more. As long as no cell has turned over it is a mesh and fills the
 * cube; beyond that it is none. */
static void test_shaken(void **state)
{
    enum {
        SIDE = 4,
        ROUNDS = 300
    };
    uint64_t seed = sample_seed();
    size_t good = 0;
    (void)state;
    mesh_geometry_t cube = sample_cube_incomplete(SIDE, 0.0, 0);
    for (size_t round = 0; round < ROUNDS; round++) {
        double shake = 1.2 * (double)round / ROUNDS;
        mesh_geometry_t mesh = sample_cube_incomplete(SIDE, shake, seed + round);
        size_t turned = count_turned(&cube, &mesh);
        bool is_taken = mesh_geometry_complete(&mesh, "cube", &error);
        if (is_taken != (turned == 0))
            fail_msg("shaken by %g with seed %llu: %zu cells turned, %s, volume %.4f", shake,
                     (unsigned long long)(seed + round), turned, is_taken ? "taken" : error.text,
                     mesh_geometry_volume(&mesh));
        if (!is_taken)
            expect_error("(0-based) lie on the same side of their common face");
        if (is_taken)
            assert_true(fabs(mesh_geometry_volume(&mesh) - 1.0) < 1e-12);
        good += is_taken;
        mesh_geometry_free(&mesh);
    }
    printf("%zu of %d shaken cubes are meshes\n", good, ROUNDS);
    assert_in_range(good, 50, ROUNDS - 50);
    mesh_geometry_free(&cube);
}

/* Whatever the order of a cell's corners, and of the cells: it is the same mesh. */
static void test_any_order(void **state)
{
    uint64_t seed = sample_seed();
    (void)state;
    mesh_geometry_t mesh = sample_cube_incomplete(3, 0.3, seed);
    for (size_t i = 0; i < mesh.cells; i++)
        for (size_t k = 3; k > 0; k--) {
            size_t other = (size_t)(sample_random(&seed) * (double)(k + 1));
            int32_t corner = mesh.corners[4 * i + k];
            mesh.corners[4 * i + k] = mesh.corners[4 * i + other];
            mesh.corners[4 * i + other] = corner;
        }
    if (!mesh_geometry_complete(&mesh, "cube", &error))
        fail_msg("%s", error.text);
    assert_true(fabs(mesh_geometry_volume(&mesh) - 1.0) < 1e-12);
    mesh_geometry_free(&mesh);
}

static bool complete_two(const double xyz[15], const int32_t corners[8])
{
    mesh_geometry_t mesh;
    assert_true(mesh_geometry_alloc(5, 2, &mesh, &error));
    memcpy(mesh.xyz, xyz, 15 * sizeof *xyz);
    memcpy(mesh.corners, corners, 8 * sizeof *corners);
    bool done = mesh_geometry_complete(&mesh, "m.ele", &error);
    mesh_geometry_free(&mesh);
    return done;
}

static void test_two_cells(void **state)
{
    static const double apart[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    static const double within[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.2, 0.1};
    static const double flat[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0.25, 0.25};
    static const double almost[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.2, 0.7};
    static const double large[] = {0, 0, 0, 1e200, 0, 0, 0, 1e200, 0, 0, 0, 1e200, 1, 1, 1};
    static const int32_t pair[] = {0, 1, 2, 3, 4, 1, 2, 3};
    static const int32_t same[] = {0, 1, 2, 3, 3, 0, 1, 2};
    (void)state;
    assert_true(complete_two(apart, pair));
    assert_false(complete_two(apart, same));
    expect_error("m.ele: cells 0 and 1 (0-based) have the same corners");
    assert_false(complete_two(within, pair));
    expect_error(
        "m.ele: cells 0 and 1 (0-based) lie on the same side of their common face, that of "
        "the points 1, 2 and 3");
    assert_false(complete_two(flat, pair));
    expect_error("m.ele: cell 1 (0-based) is flat");
    assert_false(complete_two(almost, pair)); /* on the plane, but for rounding */
    expect_error("m.ele: cell 1 (0-based) is flat");
    assert_false(complete_two(large, pair));
    expect_error("m.ele: cell 0 (0-based) is too large: its volume is inf");
}

/* Cells have a volume, but what is computed from them is beyond doubles. */
static void test_infinite_matrix(void **state)
{
    static const double xyz[] = {0, 0, 0, 1e200, 0, 0, 0, 1, 0, 0, 0, 1, 1e200, 1, 1};
    static const int32_t corners[] = {0, 1, 2, 3, 4, 1, 2, 3};
    mesh_geometry_t mesh;
    mesh_matrix_t matrix;
    (void)state;
    assert_true(mesh_geometry_alloc(5, 2, &mesh, &error));
    memcpy(mesh.xyz, xyz, sizeof xyz);
    memcpy(mesh.corners, corners, sizeof corners);
    if (!mesh_geometry_complete(&mesh, "m.ele", &error))
        fail_msg("%s", error.text);
    assert_false(mesh_diffusion_make(&mesh, NULL, &matrix, NULL, &error));
    expect_error("diffusion matrix: cell ");
    mesh_geometry_free(&mesh);
}

static void refuse_value(const mesh_file_content_t *content, double *value, double wrong,
                         const char *name)
{
    const char *path = sample_path("infinite.h5");
    double kept = *value;
    *value = wrong;
    assert_false(mesh_file_write(path, content, &error));
    expect_error(name);
    assert_int_not_equal(access(path, F_OK), 0);
    *value = kept;
}

/* The writer is the last to look. */
static void test_nothing_infinite_written(void **state)
{
    mesh_geometry_t mesh = sample_cube(2, 0.3, 1);
    mesh_matrix_t matrix;
    (void)state;
    assert_true(mesh_diffusion_make(&mesh, NULL, &matrix, NULL, &error));
    mesh_file_content_t content = {.mesh = mesh, .matrix = matrix};
    refuse_value(&content, content.mesh.xyz + 7, NAN, "/mesh/points");
    refuse_value(&content, content.mesh.volumes + 7, INFINITY, "/mesh/volumes");
    refuse_value(&content, content.matrix.D + 7, -INFINITY, "/matrix/D");
    refuse_value(&content, content.matrix.A + 7, NAN, "/matrix/A");
    refuse_value(&content, &content.matrix.time_step, INFINITY, "time_step");
    assert_true(mesh_file_write(sample_path("infinite.h5"), &content, &error));
    mesh_file_content_free(&content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shaken),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_two_cells),
        cmocka_unit_test(test_infinite_matrix),
        cmocka_unit_test(test_nothing_infinite_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
