#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/agree.h"
#include "common/large.h"

struct spmv_check {
    size_t products;
    /** Two verdicts on thread 0, and the number given so far. */
    pgas_array_t told;
    size_t turn;
    /* Only thread 0 uses the following members. */
    size_t n;
    size_t r_nz;
    double *D;
    double *A;
    int32_t *J;
    /** The start values, and the result of `products` products. */
    double *start;
    double *reference;
    /** Scratch for three vectors: a product's input and output, and the result to compare. */
    double *input;
    double *output;
    double *result;
    /** Products from the start after which values overflow, within `tried` products; 0: never. */
    size_t overflow;
    size_t tried;
};

static void alloc_arrays(spmv_check_t *check)
{
    check->D = common_alloc("check: D", check->n, sizeof(double));
    check->A = common_alloc("check: A", check->n * check->r_nz, sizeof(double));
    check->J = common_alloc("check: J", check->n * check->r_nz, sizeof(int32_t));
    check->start = common_alloc("check: start", check->n, sizeof(double));
    check->reference = common_alloc("check: reference", check->n, sizeof(double));
    check->input = common_alloc("check: x", check->n, sizeof(double));
    check->output = common_alloc("check: y", check->n, sizeof(double));
    check->result = common_alloc("check: result", check->n, sizeof(double));
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

static bool all_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* Multiplies up to `products` times from the start, as long as values are finite, and returns the
 * number of products. `input` then has the values. */
static size_t multiply_from_start(spmv_check_t *check, size_t products)
{
    size_t done = 0;
    memcpy(check->input, check->start, check->n * sizeof(double));
    for (; done < products; done++) {
        multiply(check, check->input, check->output);
        if (!all_finite(check->output, check->n))
            break;
        double *swapped = check->input;
        check->input = check->output;
        check->output = swapped;
    }
    return done;
}

/* Broadcasts thread 0's verdict. One of the two slots may still be read by others. */
static spmv_verdict_t tell(spmv_check_t *check, spmv_verdict_t verdict)
{
    pgas_ptr_t place = pgas_array_at(&check->told, check->turn++ % 2);
    if (pgas_mythread() == 0)
        pgas_memput(place, &verdict, sizeof verdict);
    pgas_barrier();
    pgas_memget(&verdict, place, sizeof verdict);
    return verdict;
}

spmv_check_t *spmv_check_create(spmv_problem_t *problem, size_t products)
{
    spmv_check_t *check = common_alloc("check", 1, sizeof *check);
    spmv_verdict_t made = {.products = 0};
    mesh_error_t error = {""};
    bool ok = true;
    *check = (spmv_check_t){.n = problem->n, .r_nz = problem->r_nz};
    if (pgas_array_create(2, sizeof made, 2, &check->told) != PGAS_OK)
        pgas_exit(1);
    if (pgas_mythread() == 0) {
        alloc_arrays(check);
        ok = mesh_matrix_file_read_rows(problem->file, 0, check->n, check->D, check->A, check->J,
                                        &error);
    }
    common_agree(ok, error.text);
    spmv_problem_start(problem);
    if (pgas_mythread() == 0) {
        spmv_problem_gather(problem, problem->x, check->start);
        made.products = multiply_from_start(check, products);
        memcpy(check->reference, check->input, check->n * sizeof(double));
    }
    check->products = tell(check, made).products;
    common_agree(check->products > 0 || pgas_mythread() != 0,
                 "--check: values overflow in the first product: there is nothing to compare");
    return check;
}

size_t spmv_check_products(const spmv_check_t *check)
{
    return check->products;
}

/* A NaN counts as the largest possible error. */
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

spmv_verdict_t spmv_check_from_start(spmv_check_t *check, const spmv_problem_t *problem)
{
    spmv_verdict_t verdict = {.products = check->products};
    if (pgas_mythread() == 0) {
        spmv_problem_gather(problem, problem->x, check->result);
        verdict.error = relative_error(check->result, check->reference, check->n);
    }
    return tell(check, verdict);
}

/* The number of products from the start, up to `products`, after which values overflow; 0: they do
 * not. It is the same for all variants, so it is computed once. */
static size_t find_overflow(spmv_check_t *check, size_t products)
{
    if (check->overflow == 0 && check->tried < products) {
        size_t done = multiply_from_start(check, products);
        check->overflow = done < products ? done + 1 : 0;
        check->tried = products;
    }
    return check->overflow <= products ? check->overflow : 0;
}

spmv_verdict_t spmv_check_last_step(spmv_check_t *check, const spmv_problem_t *problem,
                                    size_t products)
{
    spmv_verdict_t verdict = {.products = products};
    if (pgas_mythread() == 0) {
        spmv_problem_gather(problem, problem->y, check->input);
        spmv_problem_gather(problem, problem->x, check->result);
        multiply(check, check->input, check->output);
        if (all_finite(check->result, check->n) && all_finite(check->input, check->n))
            verdict.error = relative_error(check->result, check->output, check->n);
        else if ((verdict.overflow = find_overflow(check, products)) == 0)
            verdict.error = HUGE_VAL;
    }
    return tell(check, verdict);
}

void spmv_check_free(spmv_check_t *check)
{
    if (check == NULL)
        return;
    pgas_array_free(&check->told);
    free(check->result);
    free(check->output);
    free(check->input);
    free(check->reference);
    free(check->start);
    free(check->J);
    free(check->A);
    free(check->D);
    free(check);
}
