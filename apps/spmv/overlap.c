#include "overlap.h"

#include <stdlib.h>
#include <string.h>

#include "common/large.h"
#include "product_trial.h"
#include "support/boundary.h"

typedef struct overlap {
    pgas_plan_t *plan;
    const spmv_product_t *product;
    spmv_local_matrix_t interior;
    spmv_local_matrix_t boundary;
    /* The values of x that boundary rows use: the thread's part, if these rows use much of it, then
     * what has arrived. */
    double *needed;
    size_t part;
} overlap_t;

static void copy_part(const overlap_t *overlap, const double *own_x)
{
    if (overlap->part > 0)
        memcpy(overlap->needed, own_x, overlap->part * sizeof(double));
}

/* A thread without boundary rows has no values. */
static void copy_arrived(const overlap_t *overlap, const double *arrived)
{
    size_t count = pgas_plan_length(overlap->plan);
    if (count > 0)
        memcpy(overlap->needed + overlap->part, arrived, count * sizeof(double));
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

static size_t count_interior(const spmv_problem_t *problem, size_t row_count)
{
    const int32_t *loc_J = pgas_array_mine(&problem->J);
    size_t count = 0;
    for (size_t k = 0; k < row_count; k++)
        count += is_interior(problem, &loc_J[k * problem->r_nz]);
    return count;
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
    bool takes_all = boundary_takes_all(count_interior(problem, row_count), row_count);
    for (size_t k = 0; k < row_count; k++) {
        bool is_boundary = takes_all || !is_interior(problem, &loc_J[k * r_nz]);
        spmv_rows_t *rows = is_boundary ? boundary : interior;
        rows->lengths[rows->count] = length_of(problem, k, &loc_A[k * r_nz], &loc_J[k * r_nz]);
        rows->places[rows->count++] = (uint32_t)k;
    }
    interior->columns = common_alloc("interior columns", interior->count * r_nz, sizeof(uint32_t));
    boundary->columns = common_alloc("boundary columns", boundary->count * r_nz, sizeof(uint32_t));
}

/* The place of an own value in the thread's part of x. */
static uint32_t place_of(const spmv_problem_t *problem, size_t column)
{
    pgas_ptr_t at = pgas_array_at(problem->x, column);
    return (uint32_t)((at.offset - problem->x->offset) / sizeof(double));
}

static bool is_own(const spmv_problem_t *problem, size_t column)
{
    return pgas_array_owner(problem->x, column) == pgas_mythread();
}

/* Column j of row k, as in the file. */
static size_t column_of(const spmv_problem_t *problem, const spmv_rows_t *rows, size_t e)
{
    const int32_t *loc_J = pgas_array_mine(&problem->J);
    return (size_t)loc_J[rows->places[e / rows->r_nz] * rows->r_nz + e % rows->r_nz];
}

/* Columns become places in the thread's part of x. */
static void renumber_interior(const spmv_problem_t *problem, spmv_rows_t *rows)
{
    for (size_t e = 0; e < rows->count * rows->r_nz; e++)
        rows->columns[e] = place_of(problem, column_of(problem, rows, e));
}

/* How much of the thread's part boundary rows take from a copy of it: all or nothing. */
static size_t part_copied(const spmv_problem_t *problem, const spmv_rows_t *rows)
{
    size_t part = pgas_array_owned(problem->x, pgas_mythread());
    if (rows->count == part)
        return part;
    unsigned char *is_used = common_alloc("own values of boundary rows", part, 1);
    size_t used = 0;
    memset(is_used, 0, part);
    for (size_t e = 0; e < rows->count * rows->r_nz; e++) {
        size_t column = column_of(problem, rows, e);
        if (!is_own(problem, column))
            continue;
        unsigned char *mark = &is_used[place_of(problem, column)];
        used += *mark == 0;
        *mark = 1;
    }
    free(is_used);
    return boundary_copies_part(used, part) ? part : 0;
}

/* Columns become places in the thread's part, if `part` of it is copied, or else, and for the
 * values of others, positions among the plan's values behind it. */
static pgas_plan_t *renumber_boundary(const spmv_problem_t *problem, spmv_rows_t *rows, size_t part,
                                      unsigned options)
{
    size_t entries = rows->count * rows->r_nz;
    size_t *indices = common_alloc("indexes of a plan", entries, sizeof *indices);
    size_t *positions = common_alloc("positions of a plan", entries, sizeof *positions);
    size_t count = 0;
    for (size_t e = 0; e < entries; e++) {
        size_t column = column_of(problem, rows, e);
        if (part == 0 || !is_own(problem, column))
            indices[count++] = column;
    }
    pgas_plan_t *plan;
    if (pgas_plan_create(problem->x, indices, count, options | PGAS_PLAN_IN_ARRIVAL_ORDER,
                         positions, &plan) != PGAS_OK)
        pgas_exit(1);
    for (size_t e = 0, next = 0; e < entries; e++) {
        size_t column = column_of(problem, rows, e);
        bool is_planned = part == 0 || !is_own(problem, column);
        rows->columns[e] =
            is_planned ? (uint32_t)(part + positions[next++]) : place_of(problem, column);
    }
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
    overlap->part = part_copied(problem, &boundary);
    overlap->plan = renumber_boundary(problem, &boundary, overlap->part, plan_options);
    overlap->needed = common_alloc("values of boundary rows",
                                   overlap->part + pgas_plan_length(overlap->plan), sizeof(double));
    copy_part(overlap, pgas_array_mine(problem->x));
    copy_arrived(overlap, pgas_plan_execute(overlap->plan, problem->x, NULL));
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
    copy_part(overlap, own_x);
    common_clock_book(clock, SPMV_UNPACK);
    const double *arrived = pgas_plan_finish(overlap->plan);
    common_clock_book(clock, SPMV_BARRIER);
    copy_arrived(overlap, arrived);
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
