/* Listing 3: explicit thread privatization. Only x is accessed through pointers-to-shared. */
#include "variant.h"

static void *v1_prepare(const spmv_problem_t *problem)
{
    (void)problem;
    return NULL;
}

static void v1_step(const spmv_problem_t *problem, void *state, common_clock_t *clock)
{
    (void)state;
    const size_t r_nz = problem->r_nz;
    const pgas_array_t *x = problem->x;

    for (size_t mb = 0; mb < problem->mythread_nblks; mb++) {
        size_t offset = spmv_block_offset(problem, mb);
        size_t rows = spmv_block_rows(problem, offset);
        /* casting shared pointers to local pointers */
        size_t first = mb * problem->blocksize;
        double *loc_y = (double *)pgas_array_mine(problem->y) + first;
        const double *loc_D = (const double *)pgas_array_mine(&problem->D) + first;
        const double *loc_A = (const double *)pgas_array_mine(&problem->A) + first * r_nz;
        const int32_t *loc_J = (const int32_t *)pgas_array_mine(&problem->J) + first * r_nz;
        /* computation per block */
        for (size_t k = 0; k < rows; k++) {
            double tmp = 0.0;
            for (size_t j = 0; j < r_nz; j++)
                tmp += loc_A[k * r_nz + j] * PGAS_GET(double, x, (size_t)loc_J[k * r_nz + j]);
            loc_y[k] = loc_D[k] * PGAS_GET(double, x, offset + k) + tmp;
        }
    }
    common_clock_book(clock, SPMV_COMPUTE);
    pgas_barrier();
    common_clock_book(clock, SPMV_BARRIER);
}

/* The x of every off-diagonal, wherever it lies, and the x of the row itself. */
static spmv_traffic_t v1_traffic(const spmv_problem_t *problem, const spmv_counts_t *counts)
{
    (void)problem;
    spmv_traffic_t traffic = {0};
    for (int place = 0; place < PGAS_PLACES; place++) {
        uint64_t gets = counts->individual[place] + (place == PGAS_OWN ? counts->rows : 0);
        traffic.traffic[place][PGAS_INDIVIDUAL][PGAS_FROM] =
            (pgas_traffic_t){gets, gets * sizeof(double)};
    }
    return traffic;
}

static void v1_release(void *state)
{
    (void)state;
}

const spmv_variant_t spmv_v1 = {
    .name = "v1",
    .prepare = v1_prepare,
    .step = v1_step,
    .traffic = v1_traffic,
    .release = v1_release,
};
