#include "overlap.h"

#include <stdlib.h>

#include "common/large.h"
#include "local_matrix.h"

typedef struct overlap {
    pgas_plan_t *plan;
    spmv_local_matrix_t interior;
    spmv_local_matrix_t boundary;
} overlap_t;

/* Places in the thread's part of the rows of one kind, and the columns they use. */
typedef struct rows {
    size_t count;
    uint32_t *places;
    uint32_t *columns;
} rows_t;

static bool is_interior(const spmv_problem_t *problem, const int32_t *J)
{
    for (size_t j = 0; j < problem->r_nz; j++)
        if (pgas_array_owner(problem->x, (size_t)J[j]) != pgas_mythread())
            return false;
    return true;
}

static void split(const spmv_problem_t *problem, rows_t *interior, rows_t *boundary)
{
    size_t row_count = pgas_array_owned(&problem->D, pgas_mythread());
    const int32_t *loc_J = pgas_array_mine(&problem->J);
    interior->count = boundary->count = 0;
    interior->places = common_alloc("interior rows", row_count, sizeof(uint32_t));
    boundary->places = common_alloc("boundary rows", row_count, sizeof(uint32_t));
    for (size_t k = 0; k < row_count; k++) {
        rows_t *rows = is_interior(problem, &loc_J[k * problem->r_nz]) ? interior : boundary;
        rows->places[rows->count++] = (uint32_t)k;
    }
    interior->columns =
        common_alloc("interior columns", interior->count * problem->r_nz, sizeof(uint32_t));
    boundary->columns =
        common_alloc("boundary columns", boundary->count * problem->r_nz, sizeof(uint32_t));
}

/* Columns become places in the thread's part of x. */
static void renumber_interior(const spmv_problem_t *problem, rows_t *rows)
{
    const size_t r_nz = problem->r_nz;
    const int32_t *loc_J = pgas_array_mine(&problem->J);
    for (size_t k = 0; k < rows->count; k++)
        for (size_t j = 0; j < r_nz; j++) {
            pgas_ptr_t at = pgas_array_at(problem->x, (size_t)loc_J[rows->places[k] * r_nz + j]);
            rows->columns[k * r_nz + j] =
                (uint32_t)((at.offset - problem->x->offset) / sizeof(double));
        }
}

/* Columns become positions among the plan's values. */
static pgas_plan_t *renumber_boundary(const spmv_problem_t *problem, rows_t *rows, unsigned options)
{
    const size_t r_nz = problem->r_nz;
    const int32_t *loc_J = pgas_array_mine(&problem->J);
    size_t count = rows->count * r_nz;
    size_t *indices = common_alloc("indexes of a plan", count, sizeof *indices);
    size_t *positions = common_alloc("positions of a plan", count, sizeof *positions);
    for (size_t k = 0; k < rows->count; k++)
        for (size_t j = 0; j < r_nz; j++)
            indices[k * r_nz + j] = (size_t)loc_J[rows->places[k] * r_nz + j];
    pgas_plan_t *plan;
    if (pgas_plan_create(problem->x, indices, count, options | PGAS_PLAN_IN_ARRIVAL_ORDER,
                         positions, &plan) != PGAS_OK)
        pgas_exit(1);
    for (size_t e = 0; e < count; e++)
        rows->columns[e] = (uint32_t)positions[e];
    free(positions);
    free(indices);
    return plan;
}

static void free_rows(rows_t *rows)
{
    free(rows->columns);
    free(rows->places);
}

void *spmv_overlap_prepare(const spmv_problem_t *problem, unsigned plan_options)
{
    overlap_t *overlap = common_alloc("overlap", 1, sizeof *overlap);
    rows_t interior;
    rows_t boundary;
    split(problem, &interior, &boundary);
    renumber_interior(problem, &interior);
    overlap->plan = renumber_boundary(problem, &boundary, plan_options);
    const double *D = pgas_array_mine(&problem->D);
    const double *A = pgas_array_mine(&problem->A);
    spmv_local_matrix_create(D, A, problem->r_nz, interior.places, interior.count, interior.columns,
                             &overlap->interior);
    spmv_local_matrix_create(D, A, problem->r_nz, boundary.places, boundary.count, boundary.columns,
                             &overlap->boundary);
    free_rows(&interior);
    free_rows(&boundary);
    return overlap;
}

void spmv_overlap_step(const spmv_problem_t *problem, void *state, common_clock_t *clock)
{
    overlap_t *overlap = state;
    const double *own_x = pgas_array_mine(problem->x);
    double *own_y = pgas_array_mine(problem->y);
    pgas_plan_begin(overlap->plan, problem->x, NULL);
    common_clock_book(clock, SPMV_PUT);
    spmv_local_matrix_multiply(&overlap->interior, own_x, own_x, own_y);
    common_clock_book(clock, SPMV_COMPUTE);
    const double *needed = pgas_plan_finish(overlap->plan);
    common_clock_book(clock, SPMV_BARRIER);
    spmv_local_matrix_multiply(&overlap->boundary, needed, own_x, own_y);
    common_clock_book(clock, SPMV_COMPUTE);
}

void spmv_overlap_release(void *state)
{
    overlap_t *overlap = state;
    pgas_plan_free(overlap->plan);
    spmv_local_matrix_free(&overlap->interior);
    spmv_local_matrix_free(&overlap->boundary);
    free(overlap);
}
