/**
 * Some of a thread's rows, laid out for the product, with columns that count in a private vector.
 *
 * Two may stand for all rows, such as those that can be computed at once and those that cannot. How
 * the values lie is this file's affair.
 */
#ifndef SPMV_LOCAL_MATRIX_H
#define SPMV_LOCAL_MATRIX_H

#include "problem.h"

typedef struct spmv_local_matrix {
    size_t row_count;
    size_t r_nz;
    /** By row: its place in the thread's own part of x and y. */
    uint32_t *places;
    double *D;
    double *A;
    uint32_t *J;
} spmv_local_matrix_t;

/**
 * Copies rows of a problem. `places` says which: their 0-based places in the calling thread's part,
 * `row_count` of them in ascending order. `columns` has problem->r_nz columns for each, which
 * replace those of J. Neither is needed after the call. Not collective; ends the job if there is no
 * memory.
 */
void spmv_local_matrix_create(const spmv_problem_t *problem, const uint32_t *places,
                              size_t row_count, const uint32_t *columns,
                              spmv_local_matrix_t *matrix);

/**
 * The product of rows `begin` to `end` - 1, counted within the matrix. Off-diagonals take their
 * values from `x`, which the columns count in; diagonals from `own_x`, the thread's part of x.
 * Results go to `own_y`, its part of y. Each row is summed in the order of Listing 1.
 */
void spmv_local_matrix_multiply(const spmv_local_matrix_t *matrix, size_t begin, size_t end,
                                const double *x, const double *own_x, double *own_y);

/** Frees the copies. */
void spmv_local_matrix_free(spmv_local_matrix_t *matrix);

#endif
