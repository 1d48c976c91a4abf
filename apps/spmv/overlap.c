#include "overlap.h"

#include <stdlib.h>
#include <string.h>

#include "common/large.h"
#include "product_trial.h"

typedef struct overlap {
    pgas_plan_t *plan;
    const spmv_product_t *product;
    spmv_local_matrix_t interior;
    spmv_local_matrix_t boundary;
    /* The values of x that boundary rows use. */
    double *needed;
} overlap_t;

/* A thread without boundary rows has no values. */
static void copy_needed(const overlap_t *overlap, const double *arrived)
{
    size_t count = pgas_plan_length(overlap->plan);
    if (count > 0)
        memcpy(overlap->needed, arrived, count * sizeof(double));
}

static bool is_interior(const spmv_problem_t *problem, const int32_t *J)
{
    for (size_t j = 0; j < problem->r_nz; j++)
        if (pgas_array_owner(problem->x, (size_t)J[j]) != pgas_mythread())
            return false;
    return true;
}

/* The off-diagonals of a row without its padding at the end: values of 0 in its own column, whose
 * value of x is not finite only where the diagonal's product is not either. */
static uint32_t length_of(const spmv_problem_t *problem, size_t k, const double *A,
                          const int32_t *J)
{
    size_t row = spmv_block_offset(problem, k / problem->blocksize) + k % problem->blocksize;
    size_t length = problem->r_nz;
    while (length > 0 && A[length - 1] == 0.0 && (size_t)J[length - 1] == row)
        length--;
    return (uint32_t)length;
}

static void alloc_rows(size_t row_count, spmv_rows_t *rows)
{
    rows->places = common_alloc("rows", row_count, sizeof(uint32_t));
    rows->lengths = common_alloc("lengths of rows", row_count, sizeof(uint32_t));
}

static void split(const spmv_problem_t *problem, spmv_rows_t *interior, spmv_rows_t *boundary)
{
    const size_t r_nz = problem->r_nz;
    size_t row_count = pgas_array_owned(&problem->D, pgas_mythread());
    const double *loc_A = pgas_array_mine(&problem->A);
    const int32_t *loc_J = pgas_array_mine(&problem->J);
    *interior = (spmv_rows_t){.r_nz = r_nz, .reads_own = true};
    *boundary = (spmv_rows_t){.r_nz = r_nz, .reads_own = false};
    alloc_rows(row_count, interior);
    alloc_rows(row_count, boundary);
    for (size_t k = 0; k < row_count; k++) {
        spmv_rows_t *rows = is_interior(problem, &loc_J[k * r_nz]) ? interior : boundary;
        rows->lengths[rows->count] = length_of(problem, k, &loc_A[k * r_nz], &loc_J[k * r_nz]);
        rows->places[rows->count++] = (uint32_t)k;
    }
    interior->columns = common_alloc("interior columns", interior->count * r_nz, sizeof(uint32_t));
    boundary->columns = common_alloc("boundary columns", boundary->count * r_nz, sizeof(uint32_t));
}

/* Columns become places in the thread's part of x. */
static void renumber_interior(const spmv_problem_t *problem, spmv_rows_t *rows)
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
static pgas_plan_t *renumber_boundary(const spmv_problem_t *problem, spmv_rows_t *rows,
                                      unsigned options)
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

/* The requested product, or the fastest. */
static const spmv_product_t *choose(const spmv_problem_t *problem, const double *needed,
                                    const spmv_rows_t *interior, const spmv_rows_t *boundary)
{
    if (problem->product != NULL)
        return problem->product;
    const spmv_trial_part_t parts[SPMV_TRIAL_PARTS] = {
        {interior, pgas_array_mine(problem->x)},
        {boundary, needed},
    };
    const spmv_trial_data_t data = {
        .D = pgas_array_mine(&problem->D),
        .A = pgas_array_mine(&problem->A),
        .own_x = pgas_array_mine(problem->x),
        .own_y = pgas_array_mine(problem->y),
    };
    return spmv_product_try(&data, parts);
}

void *spmv_overlap_prepare(const spmv_problem_t *problem, unsigned plan_options)
{
    overlap_t *overlap = common_alloc("overlap", 1, sizeof *overlap);
    spmv_rows_t interior;
    spmv_rows_t boundary;
    split(problem, &interior, &boundary);
    renumber_interior(problem, &interior);
    overlap->plan = renumber_boundary(problem, &boundary, plan_options);
    overlap->needed =
        common_alloc("values of boundary rows", pgas_plan_length(overlap->plan), sizeof(double));
    copy_needed(overlap, pgas_plan_execute(overlap->plan, problem->x, NULL));
    overlap->product = choose(problem, overlap->needed, &interior, &boundary);
    const double *D = pgas_array_mine(&problem->D);
    const double *A = pgas_array_mine(&problem->A);
    spmv_local_matrix_create(D, A, &interior, overlap->product->form, &overlap->interior);
    spmv_local_matrix_create(D, A, &boundary, overlap->product->form, &overlap->boundary);
    spmv_rows_free(&interior);
    spmv_rows_free(&boundary);
    return overlap;
}

void spmv_overlap_step(const spmv_problem_t *problem, void *state, common_clock_t *clock)
{
    overlap_t *overlap = state;
    const double *own_x = pgas_array_mine(problem->x);
    double *own_y = pgas_array_mine(problem->y);
    pgas_plan_begin(overlap->plan, problem->x, NULL);
    common_clock_book(clock, SPMV_PUT);
    spmv_product_run(overlap->product, &overlap->interior, own_x, own_x, own_y);
    common_clock_book(clock, SPMV_COMPUTE);
    const double *arrived = pgas_plan_finish(overlap->plan);
    common_clock_book(clock, SPMV_BARRIER);
    copy_needed(overlap, arrived);
    common_clock_book(clock, SPMV_UNPACK);
    spmv_product_run(overlap->product, &overlap->boundary, overlap->needed, own_x, own_y);
    common_clock_book(clock, SPMV_COMPUTE);
}

void spmv_overlap_describe(const void *state, spmv_storage_t *storage)
{
    const overlap_t *overlap = state;
    *storage = (spmv_storage_t){
        .product = overlap->product->name,
        .entries = overlap->interior.entries + overlap->boundary.entries,
        .nonzeros = overlap->interior.nonzeros + overlap->boundary.nonzeros,
        .bytes = spmv_local_matrix_bytes(&overlap->interior) +
                 spmv_local_matrix_bytes(&overlap->boundary),
    };
}

void spmv_overlap_release(void *state)
{
    overlap_t *overlap = state;
    pgas_plan_free(overlap->plan);
    spmv_local_matrix_free(&overlap->interior);
    spmv_local_matrix_free(&overlap->boundary);
    free(overlap->needed);
    free(overlap);
}
