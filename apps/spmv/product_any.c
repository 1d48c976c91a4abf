/* Products for any processor. Compiled without fused multiplication and addition
 * (CMakeLists.txt). */
#include "slice_loop.h"

/* Fetches ahead of `count` entries, at most eight, from i on. */
SPMV_INLINE void fetch_ahead(const double *A, spmv_columns_t J, bool is_wide, size_t i,
                             size_t count)
{
    size_t line = (i + SPMV_LANES - 1) / SPMV_LANES * SPMV_LANES;
    if (line < i + count)
        spmv_fetch_entries(A, J, is_wide, line);
}

/* Eight entries at a time, which the compiler unrolls, one after the other. */
SPMV_INLINE void sum_rows(const double *A, spmv_columns_t J, bool is_wide, size_t length,
                          const double *x, double *sums)
{
    for (size_t lane = 0; lane < SPMV_LANES; lane++) {
        double sum = 0.0;
        size_t i = lane * length;
        size_t left = length;
        for (; left >= SPMV_LANES; left -= SPMV_LANES, i += SPMV_LANES) {
            fetch_ahead(A, J, is_wide, i, SPMV_LANES);
            for (size_t k = 0; k < SPMV_LANES; k++)
                sum += A[i + k] * x[spmv_column(J, is_wide, i + k)];
        }
        fetch_ahead(A, J, is_wide, i, left);
        for (; left > 0; left--, i++)
            sum += A[i] * x[spmv_column(J, is_wide, i)];
        sums[lane] = sum;
    }
}

SPMV_INLINE void sum_lanes(const double *A, spmv_columns_t J, bool is_wide, size_t length,
                           const double *x, double *sums)
{
    double sum[SPMV_LANES] = {0.0};
    for (size_t i = 0; i < length * SPMV_LANES; i += SPMV_LANES) {
        spmv_fetch_entries(A, J, is_wide, i);
        for (size_t lane = 0; lane < SPMV_LANES; lane++)
            sum[lane] += A[i + lane] * x[spmv_column(J, is_wide, i + lane)];
    }
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
