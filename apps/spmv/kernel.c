#include "kernel.h"

/* How far ahead the matrix is fetched: 8 KiB of A, more than the hardware does across a page's end.
 * Asking for what lies behind the array is harmless. */
enum {
    ROWS_AHEAD = 64
};

static inline __attribute__((always_inline)) void prefetch_row(const double *A, const int32_t *J,
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

/* A row length known to the compiler lets it unroll the inner loop completely. */
static inline __attribute__((always_inline)) void
multiply_block(size_t rows, size_t r_nz, const double *restrict loc_D, const double *restrict loc_A,
               const int32_t *restrict loc_J, const double *restrict x_copy, size_t offset,
               double *restrict loc_y)
{
    for (size_t k = 0; k < rows; k++) {
        prefetch_row(&loc_A[(k + ROWS_AHEAD) * r_nz], &loc_J[(k + ROWS_AHEAD) * r_nz], r_nz);
        double tmp = 0.0;
        for (size_t j = 0; j < r_nz; j++)
            tmp += loc_A[k * r_nz + j] * x_copy[loc_J[k * r_nz + j]];
        loc_y[k] = loc_D[k] * x_copy[offset + k] + tmp;
    }
}

void spmv_kernel(const spmv_problem_t *problem, const double *x_copy)
{
    enum {
        TETRAHEDRA = 16
    };
    const size_t r_nz = problem->r_nz;
    for (size_t mb = 0; mb < problem->mythread_nblks; mb++) {
        size_t offset = spmv_block_offset(problem, mb);
        size_t rows = spmv_block_rows(problem, offset);
        size_t first = mb * problem->blocksize;
        /* casting shared pointers to local pointers */
        double *loc_y = (double *)pgas_array_mine(problem->y) + first;
        const double *loc_D = (const double *)pgas_array_mine(&problem->D) + first;
        const double *loc_A = (const double *)pgas_array_mine(&problem->A) + first * r_nz;
        const int32_t *loc_J = (const int32_t *)pgas_array_mine(&problem->J) + first * r_nz;
        if (r_nz == TETRAHEDRA)
            multiply_block(rows, TETRAHEDRA, loc_D, loc_A, loc_J, x_copy, offset, loc_y);
        else
            multiply_block(rows, r_nz, loc_D, loc_A, loc_J, x_copy, offset, loc_y);
    }
}
