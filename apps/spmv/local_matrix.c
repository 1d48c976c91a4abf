#include "local_matrix.h"

#include <stdlib.h>
#include <string.h>

#include "common/large.h"

/* As in kernel.c. */
enum {
    ROWS_AHEAD = 64,
    TETRAHEDRA = 16
};

void spmv_local_matrix_create(const spmv_problem_t *problem, const uint32_t *places,
                              size_t row_count, const uint32_t *columns,
                              spmv_local_matrix_t *matrix)
{
    const size_t r_nz = problem->r_nz;
    const double *loc_D = pgas_array_mine(&problem->D);
    const double *loc_A = pgas_array_mine(&problem->A);
    *matrix = (spmv_local_matrix_t){
        .row_count = row_count,
        .r_nz = r_nz,
        .places = common_alloc("local matrix: rows", row_count, sizeof(uint32_t)),
        .D = common_alloc("local matrix: D", row_count, sizeof(double)),
        .A = common_alloc("local matrix: A", row_count * r_nz, sizeof(double)),
        .J = common_alloc("local matrix: J", row_count * r_nz, sizeof(uint32_t)),
    };
    for (size_t k = 0; k < row_count; k++) {
        matrix->places[k] = places[k];
        matrix->D[k] = loc_D[places[k]];
        for (size_t j = 0; j < r_nz; j++) {
            matrix->A[k * r_nz + j] = loc_A[places[k] * r_nz + j];
            matrix->J[k * r_nz + j] = columns[k * r_nz + j];
        }
    }
}

static inline __attribute__((always_inline)) void prefetch_row(const double *A, const uint32_t *J,
                                                               size_t r_nz)
{
    enum {
        LINE = 64
    };
    for (size_t j = 0; j < r_nz; j += LINE / sizeof *A)
        __builtin_prefetch(&A[j]);
    for (size_t j = 0; j < r_nz; j += LINE / sizeof *J)
        __builtin_prefetch(&J[j]);
}

static inline __attribute__((always_inline)) void
multiply(const spmv_local_matrix_t *matrix, size_t begin, size_t end, size_t r_nz,
         const double *restrict x, const double *restrict own_x, double *restrict own_y)
{
    const double *restrict A = matrix->A;
    const uint32_t *restrict J = matrix->J;
    for (size_t k = begin; k < end; k++) {
        prefetch_row(&A[(k + ROWS_AHEAD) * r_nz], &J[(k + ROWS_AHEAD) * r_nz], r_nz);
        double tmp = 0.0;
        for (size_t j = 0; j < r_nz; j++)
            tmp += A[k * r_nz + j] * x[J[k * r_nz + j]];
        size_t place = matrix->places[k];
        own_y[place] = matrix->D[k] * own_x[place] + tmp;
    }
}

void spmv_local_matrix_multiply(const spmv_local_matrix_t *matrix, size_t begin, size_t end,
                                const double *x, const double *own_x, double *own_y)
{
    if (matrix->r_nz == TETRAHEDRA)
        multiply(matrix, begin, end, TETRAHEDRA, x, own_x, own_y);
    else
        multiply(matrix, begin, end, matrix->r_nz, x, own_x, own_y);
}

void spmv_local_matrix_free(spmv_local_matrix_t *matrix)
{
    free(matrix->J);
    free(matrix->A);
    free(matrix->D);
    free(matrix->places);
}
