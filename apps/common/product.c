#include "common/product.h"

/* How far ahead the matrix is fetched: 8 KiB of A, more than the hardware does across a page's end.
 */
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
multiply(size_t rows, size_t r_nz, const double *restrict D, const double *restrict A,
         const int32_t *restrict J, const double *restrict x, size_t offset, double *restrict y)
{
    for (size_t k = 0; k < rows; k++) {
        prefetch_row(&A[(k + ROWS_AHEAD) * r_nz], &J[(k + ROWS_AHEAD) * r_nz], r_nz);
        double tmp = 0.0;
        for (size_t j = 0; j < r_nz; j++)
            tmp += A[k * r_nz + j] * x[J[k * r_nz + j]];
        y[k] = D[k] * x[offset + k] + tmp;
    }
}

void common_product(size_t rows, size_t r_nz, const double *D, const double *A, const int32_t *J,
                    const double *x, size_t offset, double *y)
{
    enum {
        TETRAHEDRA = 16
    };
    if (r_nz == TETRAHEDRA)
        multiply(rows, TETRAHEDRA, D, A, J, x, offset, y);
    else
        multiply(rows, r_nz, D, A, J, x, offset, y);
}
