/* Products for any processor. Compiled without fused multiplication and addition
 * (CMakeLists.txt). */
#include "slice_loop.h"

SPMV_INLINE void sum_rows(const double *A, spmv_columns_t J, bool is_wide, size_t length,
                          const double *x, double *sums)
{
    for (size_t lane = 0; lane < SPMV_LANES; lane++) {
        double sum = 0.0;
        for (size_t j = lane * length; j < (lane + 1) * length; j++)
            sum += A[j] * x[spmv_column(J, is_wide, j)];
        sums[lane] = sum;
    }
}

SPMV_INLINE void sum_lanes(const double *A, spmv_columns_t J, bool is_wide, size_t length,
                           const double *x, double *sums)
{
    double sum[SPMV_LANES] = {0.0};
    for (size_t i = 0; i < length * SPMV_LANES; i += SPMV_LANES)
        for (size_t lane = 0; lane < SPMV_LANES; lane++)
            sum[lane] += A[i + lane] * x[spmv_column(J, is_wide, i + lane)];
    for (size_t lane = 0; lane < SPMV_LANES; lane++)
        sums[lane] = sum[lane];
}

void spmv_multiply_rows(const spmv_local_matrix_t *matrix, size_t begin, size_t end,
                        const double *x, const double *own_x, double *own_y)
{
    spmv_slice_loop(matrix, begin, end, x, own_x, own_y, sum_rows);
}

void spmv_multiply_lanes(const spmv_local_matrix_t *matrix, size_t begin, size_t end,
                         const double *x, const double *own_x, double *own_y)
{
    spmv_slice_loop(matrix, begin, end, x, own_x, own_y, sum_lanes);
}
