/* Listing 2: every access through pointers-to-shared, the loop divided among the threads by an
 * affinity test. */
#include "variant.h"

static void *naive_prepare(const spmv_problem_t *problem)
{
    (void)problem;
    return NULL;
}

static void naive_step(const spmv_problem_t *problem, void *state, common_clock_t *clock)
{
    (void)state;
    const size_t r_nz = problem->r_nz;
    const pgas_array_t *x = problem->x;
    const pgas_array_t *y = problem->y;
    const pgas_array_t *D = &problem->D;
    const pgas_array_t *A = &problem->A;
    const pgas_array_t *J = &problem->J;

    PGAS_FORALL (i, 0, problem->n, pgas_array_at(y, i)) {
        double tmp = 0.0;
        for (size_t j = 0; j < r_nz; j++)
            tmp += PGAS_GET(double, A, i *r_nz + j) *
                   PGAS_GET(double, x, (size_t)PGAS_GET(int32_t, J, i * r_nz + j));
        PGAS_PUT(double, y, i, PGAS_GET(double, D, i) * PGAS_GET(double, x, i) + tmp);
    }
    common_clock_book(clock, SPMV_COMPUTE);
    pgas_barrier();
    common_clock_book(clock, SPMV_BARRIER);
}

/* Per row: r_nz times A and J, once D and x of the row itself, all own; the x of the off-diagonals
 * wherever they lie; one put to y. */
static spmv_traffic_t naive_traffic(const spmv_problem_t *problem, const spmv_counts_t *counts)
{
    spmv_traffic_t traffic = spmv_v1.traffic(problem, counts);
    pgas_traffic_t *own = traffic.traffic[PGAS_OWN][PGAS_INDIVIDUAL];
    uint64_t elements = counts->rows * problem->r_nz;
    own[PGAS_FROM].operations += 2 * elements + counts->rows;
    own[PGAS_FROM].bytes +=
        elements * (sizeof(double) + sizeof(int32_t)) + counts->rows * sizeof(double);
    own[PGAS_TO].operations += counts->rows;
    own[PGAS_TO].bytes += counts->rows * sizeof(double);
    return traffic;
}

static void naive_release(void *state)
{
    (void)state;
}

const spmv_variant_t spmv_naive = {
    .name = "naive",
    .prepare = naive_prepare,
    .step = naive_step,
    .traffic = naive_traffic,
    .release = naive_release,
};
