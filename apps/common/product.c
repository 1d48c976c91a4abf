#include "common/product.h"

enum {
    /* How far ahead the matrix is fetched: 8 KiB of A, more than the hardware does across a page's
     * end. */
    ROWS_AHEAD = 64,
    LINE_VALUES = 64 / sizeof(double),
    LINE_COLUMNS = 64 / sizeof(int32_t)
};

static inline __attribute__((always_inline)) void fetch_lines(const double *A, const int32_t *J,
                                                              size_t j)
{
    __builtin_prefetch(&A[j]);
    if (j % LINE_COLUMNS == 0)
        __builtin_prefetch(&J[j]);
}

/* A row length known to the compiler lets it unroll the inner loop completely. A line of A is
 * fetched where the line that is used now begins: all lines of a long row at once would occupy
 * what the core has for lines on their way, and the row's first values of x would wait for them. */
static inline __attribute__((always_inline)) void
multiply(size_t rows, size_t r_nz, const double *restrict D, const double *restrict A,
         const int32_t *restrict J, const double *restrict x, size_t offset, double *restrict y)
{
    const size_t ahead = ROWS_AHEAD * r_nz;
    for (size_t k = 0; k < rows; k++, A += r_nz, J += r_nz) {
        double tmp = 0.0;
        size_t j = 0;
        for (; j + LINE_VALUES <= r_nz; j += LINE_VALUES) {
            fetch_lines(&A[ahead], &J[ahead], j);
            for (size_t i = 0; i < LINE_VALUES; i++)
                tmp += A[j + i] * x[J[j + i]];
        }
        if (j < r_nz)
            fetch_lines(&A[ahead], &J[ahead], j);
        for (; j < r_nz; j++)
            tmp += A[j] * x[J[j]];
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
