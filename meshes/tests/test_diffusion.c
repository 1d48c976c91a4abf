/* The diffusion matrix keeps what it promises: constants, the total, the bound of the maximum
 * norm, exactness for linear fields, second order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sample.h"

enum {
    STEPS = 1000,
    LONG_STEPS = 5000,
    BLOWN_UP_STEPS = 1000,
    NORM_STEPS = 300
};

/* How much longer a time step is certainly too long, on meshes that are not all bad cells. */
static const double too_long = 1.25;

typedef struct problem {
    mesh_geometry_t mesh;
    mesh_matrix_t matrix;
    mesh_diffusion_report_t report;
    double *u;
    double *v;
} problem_t;

static problem_t pose(mesh_geometry_t mesh)
{
    problem_t problem = {.mesh = mesh};
    mesh_error_t error;
    if (!mesh_diffusion_make(&mesh, NULL, &problem.matrix, &problem.report, &error))
        fail_msg("%s", error.text);
    problem.u = malloc(mesh.cells * sizeof(double));
    problem.v = malloc(mesh.cells * sizeof(double));
    assert_true(problem.u != NULL && problem.v != NULL);
    return problem;
}

static void drop(problem_t *problem)
{
    free(problem->v);
    free(problem->u);
    mesh_matrix_free(&problem->matrix);
    mesh_geometry_free(&problem->mesh);
}

static void step(problem_t *problem)
{
    double *before = problem->u;
    mesh_matrix_multiply(&problem->matrix, before, problem->v);
    problem->u = problem->v;
    problem->v = before;
}

static double max_norm(const problem_t *problem)
{
    double norm = 0.0;
    for (size_t i = 0; i < problem->mesh.cells; i++)
        norm = fmax(norm, fabs(problem->u[i]));
    return norm;
}

/* Sum of volume * u^power. */
static double moment(const problem_t *problem, int power)
{
    double sum = 0.0;
    for (size_t i = 0; i < problem->mesh.cells; i++)
        sum += problem->mesh.volumes[i] * (power == 1 ? 1.0 : problem->u[i]) * problem->u[i];
    return sum;
}

static void check_constant(problem_t *problem)
{
    double worst = 0.0;
    for (size_t i = 0; i < problem->mesh.cells; i++)
        problem->u[i] = 3.0;
    for (size_t s = 0; s < STEPS; s++)
        step(problem);
    for (size_t i = 0; i < problem->mesh.cells; i++)
        worst = fmax(worst, fabs(problem->u[i] / 3.0 - 1.0));
    printf("constant field after %d steps: off by %.2g\n", STEPS, worst);
    assert_true(worst < 1e-12);
}

/* The bound of the maximum norm follows from the volume-weighted 2-norm never growing, so both are
 * checked, and the total. */
static void check_random(problem_t *problem, uint64_t seed)
{
    for (size_t i = 0; i < problem->mesh.cells; i++)
        problem->u[i] = 2.0 * sample_random(&seed) - 1.0;
    double first = max_norm(problem);
    double total = moment(problem, 1);
    double scale = moment(problem, 2);
    double before = scale;
    double growth = 1.0;
    for (size_t s = 0; s < STEPS; s++) {
        step(problem);
        double now = moment(problem, 2);
        assert_true(now <= before * (1.0 + 1e-14));
        before = now;
        growth = fmax(growth, max_norm(problem) / first);
    }
    printf(
        "random field, %d steps: maximum norm grew at most to %.4f times the first (bound %.4g)\n",
        STEPS, growth, problem->report.norm_bound);
    assert_true(growth <= problem->report.norm_bound);
    assert_true(fabs(moment(problem, 1) - total) < 1e-12 * sqrt(scale));
}

static void check_rows(const problem_t *problem)
{
    const mesh_matrix_t *matrix = &problem->matrix;
    assert_int_equal(matrix->row_nonzeros, 16);
    for (size_t i = 0; i < matrix->rows; i++) {
        double sum = matrix->D[i];
        for (size_t e = 16 * i; e < 16 * (i + 1); e++) {
            sum += matrix->A[e];
            if ((size_t)matrix->J[e] == i)
                assert_true(matrix->A[e] == 0.0);
            for (size_t f = 16 * i; f < e; f++)
                assert_true(matrix->J[f] != matrix->J[e] || (size_t)matrix->J[e] == i);
        }
        assert_true(fabs(sum - 1.0) < 1e-14);
    }
}

static void test_cube(void **state)
{
    (void)state;
    problem_t problem = pose(sample_cube(6, 0.5, 3));
    check_rows(&problem);
    check_constant(&problem);
    check_random(&problem, sample_seed());
    drop(&problem);
}

/* False where there is no tetgen. */
static bool make_ventricle(size_t cells, mesh_geometry_t *mesh)
{
    mesh_ventricle_report_t report;
    mesh_error_t error;
    if (mesh_ventricle_make(&mesh_ventricle_default, cells, "tetgen", NULL, mesh, &report, &error))
        return true;
    print_message("%s\n", error.text);
    return false;
}

static void test_ventricle(void **state)
{
    (void)state;
    mesh_geometry_t mesh;
    if (!make_ventricle(5000, &mesh))
        skip();
    assert_true(mesh.cells >= 4500 && mesh.cells <= 5500);
    assert_true(fabs(mesh_geometry_volume(&mesh) / mesh_ventricle_volume(&mesh_ventricle_default) -
                     1.0) < 0.01);
    problem_t problem = pose(mesh);
    check_rows(&problem);
    check_constant(&problem);
    check_random(&problem, sample_seed());
    drop(&problem);
}

static void fill_random(problem_t *problem, uint64_t seed)
{
    for (size_t i = 0; i < problem->mesh.cells; i++)
        problem->u[i] = 2.0 * sample_random(&seed) - 1.0;
}

/* A step `factor` times as long as the matrix's. */
static void stretched_step(problem_t *problem, double factor)
{
    step(problem);
    for (size_t i = 0; i < problem->mesh.cells; i++)
        problem->u[i] = problem->v[i] + factor * (problem->u[i] - problem->v[i]);
}

/* The largest factor by which a step makes the volume-weighted 2-norm of a field grow, from below:
 * power iteration with the matrix and its adjoint. 1 is reached by constants. */
static double norm_of_step(problem_t *problem, double factor)
{
    size_t n = problem->mesh.cells;
    const mesh_matrix_t *matrix = &problem->matrix;
    const double *volumes = problem->mesh.volumes;
    double *weighted = malloc(n * sizeof *weighted);
    double norm = 0.0;
    assert_non_null(weighted);
    for (size_t s = 0; s < NORM_STEPS; s++) {
        double scale = 1.0 / sqrt(moment(problem, 2));
        for (size_t i = 0; i < n; i++)
            problem->u[i] *= scale;
        stretched_step(problem, factor);
        norm = sqrt(moment(problem, 2));
        for (size_t i = 0; i < n; i++) {
            weighted[i] = volumes[i] * problem->u[i];
            problem->v[i] = (1.0 - factor + factor * matrix->D[i]) * weighted[i];
        }
        for (size_t i = 0; i < n; i++)
            for (size_t e = 16 * i; e < 16 * (i + 1); e++)
                problem->v[matrix->J[e]] += factor * matrix->A[e] * weighted[i];
        for (size_t i = 0; i < n; i++)
            problem->u[i] = problem->v[i] / volumes[i];
    }
    free(weighted);
    return norm;
}

/* Thousands of steps keep a field bounded, and no field at all grows in a step; a step a little
 * longer does not keep it. */
static void check_time_step(const char *name, mesh_geometry_t mesh, uint64_t seed)
{
    problem_t problem = pose(mesh);
    fill_random(&problem, seed);
    double first = moment(&problem, 2);
    double before = first;
    for (size_t s = 0; s < LONG_STEPS; s++) {
        step(&problem);
        double now = moment(&problem, 2);
        assert_true(now <= before * (1.0 + 1e-14));
        before = now;
    }
    fill_random(&problem, seed);
    double norm = norm_of_step(&problem, 1.0);
    fill_random(&problem, seed);
    size_t steps = 0;
    while (steps < BLOWN_UP_STEPS && moment(&problem, 2) < 1e6 * first) {
        stretched_step(&problem, too_long);
        steps++;
    }
    printf("%s: bounded for %d steps, norm of a step %.12f; steps %.2f times as long: 10^6 times "
           "the energy after %zu\n",
           name, LONG_STEPS, norm, too_long, steps);
    assert_true(norm < 1.0 + 1e-10);
    assert_true(steps < BLOWN_UP_STEPS);
    drop(&problem);
}

static void test_time_step(void **state)
{
    (void)state;
    uint64_t seed = sample_seed();
    mesh_geometry_t mesh;
    check_time_step("cube", sample_cube(8, 0.0, 3), seed);
    check_time_step("moved cube", sample_cube(8, 0.2, 3), seed);
    check_time_step("moved cube", sample_cube(8, 0.4, 3), seed);
    if (make_ventricle(1000, &mesh))
        check_time_step("ventricle", mesh, seed);
    if (make_ventricle(8000, &mesh))
        check_time_step("ventricle", mesh, seed);
}

/* A cell on its own, and two: gradients from fewer than three neighbours. */
static void test_tiny(void **state)
{
    static const double xyz[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    static const int32_t corners[] = {0, 1, 2, 3, 1, 2, 3, 4};
    (void)state;
    for (size_t cells = 1; cells <= 2; cells++) {
        mesh_geometry_t mesh;
        mesh_error_t error;
        assert_true(mesh_geometry_alloc(5, cells, &mesh, &error));
        for (size_t k = 0; k < 15; k++)
            mesh.xyz[k] = xyz[k];
        for (size_t k = 0; k < 4 * cells; k++)
            mesh.corners[k] = corners[k];
        assert_true(mesh_geometry_complete(&mesh, "tiny", &error));
        problem_t problem = pose(mesh);
        check_rows(&problem);
        check_constant(&problem);
        check_random(&problem, 1);
        drop(&problem);
    }
}

static int is_far_from_boundary(const mesh_geometry_t *mesh, size_t cell)
{
    for (size_t k = 0; k < 4; k++) {
        int32_t near = mesh->neighbours[4 * cell + k];
        if (near < 0)
            return 0;
        for (size_t l = 0; l < 4; l++)
            if (mesh->neighbours[4 * (size_t)near + l] < 0)
                return 0;
    }
    return 1;
}

/* How far one step moves the linear fields x, y and z, the furthest in each cell. */
static void measure_linear(problem_t *problem, double *moved)
{
    for (size_t i = 0; i < problem->mesh.cells; i++)
        moved[i] = 0.0;
    for (size_t d = 0; d < 3; d++) {
        for (size_t i = 0; i < problem->mesh.cells; i++) {
            double x[3];
            mesh_geometry_centroid(&problem->mesh, i, x);
            problem->u[i] = x[d];
        }
        mesh_matrix_multiply(&problem->matrix, problem->u, problem->v);
        for (size_t i = 0; i < problem->mesh.cells; i++)
            moved[i] = fmax(moved[i], fabs(problem->u[i] - problem->v[i]));
    }
}

/* The cells that the report calls steady are, the others are not. */
static void check_unsteady(const char *name, mesh_geometry_t mesh)
{
    problem_t problem = pose(mesh);
    const mesh_diffusion_report_t *report = &problem.report;
    double *moved = malloc(mesh.cells * sizeof *moved);
    size_t inner = 0;
    size_t unsteady = 0;
    double inner_volume = 0.0;
    double unsteady_volume = 0.0;
    assert_non_null(moved);
    measure_linear(&problem, moved);
    for (size_t i = 0; i < mesh.cells; i++) {
        if (!is_far_from_boundary(&mesh, i))
            continue;
        inner++;
        inner_volume += mesh.volumes[i];
        if (moved[i] > 1e-13) {
            unsteady++;
            unsteady_volume += mesh.volumes[i];
        }
    }
    printf("%s: linear fields move in %zu of %zu inner cells, %.3g %% of their volume; reported: "
           "%zu of %zu, %.3g %%\n",
           name, unsteady, inner, 100.0 * unsteady_volume / inner_volume, report->unsteady_cells,
           report->inner_cells, 100.0 * report->unsteady_volume);
    assert_int_equal(report->inner_cells, inner);
    assert_int_equal(report->unsteady_cells, unsteady);
    assert_true(fabs(report->unsteady_volume - unsteady_volume / inner_volume) < 1e-12);
    free(moved);
    drop(&problem);
}

static void test_unsteady(void **state)
{
    (void)state;
    mesh_geometry_t mesh;
    check_unsteady("moved cube", sample_cube(8, 0.6, 3));
    if (!make_ventricle(20000, &mesh))
        skip();
    check_unsteady("ventricle", mesh);
}

/* Away from the boundary a linear field is a steady state. */
static void test_linear(void **state)
{
    (void)state;
    problem_t problem = pose(sample_cube(6, 0.2, 5));
    assert_true(problem.report.unsteady_cells == 0);
    double worst = 0.0;
    for (size_t i = 0; i < problem.mesh.cells; i++) {
        double x[3];
        mesh_geometry_centroid(&problem.mesh, i, x);
        problem.u[i] = x[0] - 2.0 * x[1] + 3.0 * x[2];
    }
    mesh_matrix_multiply(&problem.matrix, problem.u, problem.v);
    for (size_t i = 0; i < problem.mesh.cells; i++)
        if (is_far_from_boundary(&problem.mesh, i))
            worst = fmax(worst, fabs(problem.u[i] - problem.v[i]));
    printf("linear field: moved by %.2g in a step\n", worst);
    assert_true(worst < 1e-14);
    drop(&problem);
}

/* The slowest mode of the cube, cos(pi x), decays at the rate pi^2. Error in the volume-weighted
 * 2-norm at time 0.05, relative. */
static double decay_error(size_t side, double shake)
{
    problem_t problem = pose(sample_cube(side, shake, 11));
    size_t n = problem.mesh.cells;
    double *first = malloc(n * sizeof *first);
    assert_non_null(first);
    for (size_t i = 0; i < n; i++) {
        double x[3];
        mesh_geometry_centroid(&problem.mesh, i, x);
        problem.u[i] = cos(M_PI * x[0]);
        first[i] = problem.u[i];
    }
    double scale = moment(&problem, 2);
    size_t steps = (size_t)ceil(0.05 / problem.report.time_step);
    for (size_t s = 0; s < steps; s++)
        step(&problem);
    double factor = exp(-M_PI * M_PI * problem.report.time_step * (double)steps);
    for (size_t i = 0; i < n; i++)
        problem.u[i] = problem.u[i] / factor - first[i];
    double error = sqrt(moment(&problem, 2) / scale);
    printf("%6zu cells, points moved by up to %.2f: error %.3e after %zu steps\n", n, shake / 2,
           error, steps);
    free(first);
    drop(&problem);
    return error;
}

static void test_convergence(void **state)
{
    (void)state;
    static const double shakes[] = {0.0, 0.4};
    for (size_t s = 0; s < 2; s++) {
        double coarse = decay_error(4, shakes[s]);
        double middle = decay_error(8, shakes[s]);
        double fine = decay_error(12, shakes[s]);
        double first_order = log(coarse / middle) / log(2.0);
        double second_order = log(middle / fine) / log(1.5);
        printf("order %.2f, then %.2f\n", first_order, second_order);
        assert_true(first_order > 1.7);
        assert_true(second_order > 1.7);
        assert_true(fine < 3e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cube),        cmocka_unit_test(test_ventricle),
        cmocka_unit_test(test_tiny),        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_convergence), cmocka_unit_test(test_time_step),
        cmocka_unit_test(test_unsteady),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
