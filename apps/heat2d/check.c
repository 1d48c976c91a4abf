#include "check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/gather.h"
#include "common/large.h"
#include "field.h"
#include "support/progress.h"

/* Compiled without fused multiplication and addition (CMakeLists.txt). */

static double *alloc_level(const heat_shape_t *shape)
{
    return common_alloc("check: a level", shape->M * shape->N, sizeof(double));
}

static void compute_step(const heat_shape_t *shape, const heat_coefficients_t *c,
                         const double *restrict phi, double *restrict phin)
{
    size_t n = shape->N;
    for (size_t i = 1; i < shape->M - 1; i++)
        for (size_t k = i * n + 1; k < i * n + n - 1; k++)
            phin[k] = phi[k] + ((phi[k + n] + phi[k - n] - 2.0 * phi[k]) * c->dy2i +
                                (phi[k + 1] + phi[k - 1] - 2.0 * phi[k]) * c->dx2i) *
                                   c->dt;
}

/* Two levels of the whole mesh; returns the last one, which the caller frees. */
static double *solve(const heat_problem_t *problem)
{
    const heat_shape_t *shape = &problem->shape;
    double *phi = alloc_level(shape);
    double *phin = alloc_level(shape);
    for (size_t i = 0; i < shape->M; i++)
        for (size_t k = 0; k < shape->N; k++)
            phi[i * shape->N + k] = heat_start_value(shape, problem->start, i, k);
    memcpy(phin, phi, shape->M * shape->N * sizeof *phi);
    progress_begin("check", problem->step);
    for (size_t step = 0; step < problem->step; step++) {
        compute_step(shape, &problem->coefficients, phi, phin);
        double *swapped = phi;
        phi = phin;
        phin = swapped;
        progress_update(step + 1);
    }
    progress_end();
    free(phin);
    return phi;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static size_t count_differing(const double *a, const double *b, size_t count)
{
    size_t differing = 0;
    for (size_t i = 0; i < count; i++)
        differing += bits_of(a[i]) != bits_of(b[i]);
    return differing;
}

static size_t compare(const heat_problem_t *problem, const double *expected)
{
    const heat_shape_t *shape = &problem->shape;
    size_t band = heat_band_rows(shape);
    double *rows = common_alloc("check: rows", band * shape->N, sizeof *rows);
    size_t differing = 0;
    for (size_t first = 0; first < shape->M; first += band) {
        size_t count = shape->M - first < band ? shape->M - first : band;
        heat_field_get(problem, first, count, rows);
        differing += count_differing(rows, &expected[first * shape->N], count * shape->N);
    }
    free(rows);
    return differing;
}

size_t heat_check_differing(const heat_problem_t *problem)
{
    size_t differing = 0;
    if (pgas_mythread() == 0) {
        double *expected = solve(problem);
        differing = compare(problem, expected);
        free(expected);
    }
    pgas_barrier();
    return differing;
}

static double squared_sine(double angle)
{
    return sin(angle) * sin(angle);
}

/* The factor of sin(pi y) sin(2 pi x) in one step: the five-point formula has that mode as an
 * eigenvector. */
static double scheme_factor(const heat_problem_t *problem)
{
    const heat_coefficients_t *c = &problem->coefficients;
    double dy = 1.0 / (double)(problem->shape.M - 1);
    double dx = 1.0 / (double)(problem->shape.N - 1);
    return 1.0 - 4.0 * c->dt *
                     (c->dy2i * squared_sine(0.5 * M_PI * dy) + c->dx2i * squared_sine(M_PI * dx));
}

/* A NaN counts as the largest possible error. */
static double worse(double error, double difference)
{
    return isfinite(difference) ? fmax(error, fabs(difference)) : HUGE_VAL;
}

static heat_mode_errors_t own_errors(const heat_problem_t *problem)
{
    const heat_block_t *mine = &problem->mine;
    double steps = (double)problem->step;
    double scheme = pow(scheme_factor(problem), steps);
    double solution = exp(-5.0 * M_PI * M_PI * problem->coefficients.dt * steps);
    heat_mode_errors_t errors = {0.0, 0.0};
    for (size_t i = 0; i < mine->rows; i++)
        for (size_t k = 0; k < mine->cols; k++) {
            double value = problem->field[problem->now][i * mine->pitch + k];
            double mode =
                heat_start_value(&problem->shape, HEAT_SINE, mine->top + i, mine->left + k);
            errors.scheme = worse(errors.scheme, value - scheme * mode);
            errors.solution = worse(errors.solution, value - solution * mode);
        }
    return errors;
}

heat_mode_errors_t heat_check_mode(const heat_problem_t *problem)
{
    heat_mode_errors_t mine = own_errors(problem);
    heat_mode_errors_t *all = common_gather(&mine, sizeof mine);
    for (int thread = 0; thread < pgas_threads(); thread++) {
        mine.scheme = fmax(mine.scheme, all[thread].scheme);
        mine.solution = fmax(mine.solution, all[thread].solution);
    }
    free(all);
    return mine;
}

/* A step rounds about ten times, relative to values of at most 1, and enlarges no error. */
double heat_check_mode_limit(size_t steps)
{
    return 10.0 * DBL_EPSILON * (double)(steps + 1);
}
