#include "check.h"

#include <math.h>
#include <meshes/matrix_file.h>
#include <stdlib.h>

#include "common/agree.h"
#include "common/large.h"

struct spmv_check {
    size_t n;
    size_t r_nz;
    double *D;
    double *A;
    int32_t *J;
    /** Room for three vectors: a product's two sides and the result to compare. */
    double *input;
    double *output;
    double *result;
};

static void alloc_arrays(spmv_check_t *check)
{
    check->D = common_alloc("check: D", check->n, sizeof(double));
    check->A = common_alloc("check: A", check->n * check->r_nz, sizeof(double));
    check->J = common_alloc("check: J", check->n * check->r_nz, sizeof(int32_t));
    check->input = common_alloc("check: x", check->n, sizeof(double));
    check->output = common_alloc("check: y", check->n, sizeof(double));
    check->result = common_alloc("check: result", check->n, sizeof(double));
}

static bool read_all(const char *path, spmv_check_t *check, mesh_error_t *error)
{
    mesh_matrix_file_t *file;
    mesh_matrix_info_t info;
    if (!mesh_matrix_file_open(path, &file, &info, error))
        return false;
    bool ok = mesh_matrix_file_read_rows(file, 0, check->n, check->D, check->A, check->J, error);
    mesh_matrix_file_close(file);
    return ok;
}

spmv_check_t *spmv_check_create(const char *path, const spmv_problem_t *problem)
{
    spmv_check_t *check = NULL;
    mesh_error_t error = {""};
    bool ok = true;
    if (pgas_mythread() == 0) {
        check = common_alloc("check", 1, sizeof *check);
        *check = (spmv_check_t){.n = problem->n, .r_nz = problem->r_nz};
        alloc_arrays(check);
        ok = read_all(path, check, &error);
    }
    common_agree(ok, error.text);
    return check;
}

/* Listing 1. */
static void multiply(const spmv_check_t *check, const double *x, double *y)
{
    const size_t r_nz = check->r_nz;
    for (size_t i = 0; i < check->n; i++) {
        double tmp = 0.0;
        for (size_t j = 0; j < r_nz; j++)
            tmp += check->A[i * r_nz + j] * x[check->J[i * r_nz + j]];
        y[i] = check->D[i] * x[i] + tmp;
    }
}

static void gather(const spmv_problem_t *problem, const pgas_array_t *array, double *values)
{
    for (size_t b = 0; b < problem->nblks; b++) {
        size_t offset = b * problem->blocksize;
        pgas_memget(&values[offset], pgas_array_at(array, offset),
                    spmv_block_rows(problem, offset) * sizeof(double));
    }
}

/* A value that is no number is as wrong as can be. */
static double relative_error(const double *values, const double *reference, size_t n)
{
    double largest = 0.0;
    double error = 0.0;
    for (size_t i = 0; i < n; i++) {
        double difference = fabs(values[i] - reference[i]);
        if (!isfinite(difference))
            return HUGE_VAL;
        error = fmax(error, difference);
        largest = fmax(largest, fabs(reference[i]));
    }
    return largest > 0.0 ? error / largest : error;
}

double spmv_check_from_start(spmv_check_t *check, const spmv_problem_t *problem, size_t iterations)
{
    double error = 0.0;
    if (check != NULL) {
        for (size_t i = 0; i < check->n; i++)
            check->input[i] = spmv_problem_start_value(i);
        for (size_t iteration = 0; iteration < iterations; iteration++) {
            multiply(check, check->input, check->output);
            double *swapped = check->input;
            check->input = check->output;
            check->output = swapped;
        }
        gather(problem, problem->x, check->result);
        error = relative_error(check->result, check->input, check->n);
    }
    pgas_barrier();
    return error;
}

double spmv_check_last_step(spmv_check_t *check, const spmv_problem_t *problem)
{
    double error = 0.0;
    if (check != NULL) {
        gather(problem, problem->y, check->input);
        multiply(check, check->input, check->output);
        gather(problem, problem->x, check->result);
        error = relative_error(check->result, check->output, check->n);
    }
    pgas_barrier();
    return error;
}

void spmv_check_free(spmv_check_t *check)
{
    if (check == NULL)
        return;
    free(check->result);
    free(check->output);
    free(check->input);
    free(check->J);
    free(check->A);
    free(check->D);
    free(check);
}
