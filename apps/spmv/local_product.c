#include "local_product.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Compiled without fused multiplication and addition (CMakeLists.txt). */

/* How far ahead the matrix is fetched: more than the hardware does across a page's end. Asking for
 * what lies behind the array is harmless. */
enum {
    SLICES_AHEAD = 8,
    LINE = 64
};

static inline __attribute__((always_inline)) void prefetch(const double *A, const uint16_t *J,
                                                           size_t r_nz, size_t width)
{
    A += (size_t)SLICES_AHEAD * SPMV_LANES * r_nz;
    J += (size_t)SLICES_AHEAD * SPMV_LANES * r_nz * width;
    for (size_t j = 0; j < r_nz * SPMV_LANES; j += LINE / sizeof *A)
        __builtin_prefetch(&A[j]);
    for (size_t j = 0; j < r_nz * SPMV_LANES * width; j += LINE / sizeof *J)
        __builtin_prefetch(&J[j]);
}

/* Rows of a slice one by one: those whose places do not follow each other, and the last ones. */
static void scatter(const spmv_local_matrix_t *matrix, size_t s, const double *sums,
                    const double *own_x, double *own_y)
{
    for (size_t row = s * SPMV_LANES; row < (s + 1) * SPMV_LANES && row < matrix->row_count;
         row++) {
        size_t place = matrix->places[row];
        own_y[place] = matrix->D[row] * own_x[place] + sums[row - s * SPMV_LANES];
    }
}

void spmv_product_portable(const spmv_local_matrix_t *matrix, const double *x, const double *own_x,
                           double *own_y)
{
    size_t r_nz = matrix->r_nz;
    for (size_t s = 0; s * SPMV_LANES < matrix->row_count; s++) {
        const spmv_slice_t *slice = &matrix->slices[s];
        const double *A = &matrix->A[s * SPMV_LANES * r_nz];
        const uint16_t *narrow = &matrix->J[slice->at];
        const uint32_t *wide = (const uint32_t *)(const void *)narrow;
        const double *near_x = x + slice->base;
        double sums[SPMV_LANES] = {0};
        prefetch(A, narrow, r_nz, slice->is_wide ? 2 : 1);
        for (size_t i = 0; i < r_nz * SPMV_LANES; i++)
            sums[i % SPMV_LANES] += A[i] * near_x[slice->is_wide ? wide[i] : narrow[i]];
        scatter(matrix, s, sums, own_x, own_y);
    }
}

#if defined(__x86_64__)

static inline __attribute__((always_inline, target("avx512f"))) __m512d
sum_avx512(const double *A, const uint16_t *narrow, const double *x, size_t r_nz, int is_wide)
{
    const uint32_t *wide = (const uint32_t *)(const void *)narrow;
    __m512d sum = _mm512_setzero_pd();
    for (size_t i = 0; i < r_nz * SPMV_LANES; i += SPMV_LANES) {
        __m256i column =
            is_wide
                ? _mm256_loadu_si256((const __m256i *)(const void *)&wide[i])
                : _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)&narrow[i]));
        __m512d value = _mm512_i32gather_pd(column, x, sizeof *x);
        sum = _mm512_add_pd(sum, _mm512_mul_pd(_mm512_loadu_pd(&A[i]), value));
    }
    return sum;
}

static inline __attribute__((always_inline, target("avx512f"))) void
multiply_avx512(const spmv_local_matrix_t *matrix, size_t r_nz, const double *x,
                const double *own_x, double *own_y)
{
    for (size_t s = 0; s * SPMV_LANES < matrix->row_count; s++) {
        const spmv_slice_t *slice = &matrix->slices[s];
        const double *A = &matrix->A[s * SPMV_LANES * r_nz];
        const uint16_t *J = &matrix->J[slice->at];
        __m512d sum;
        if (slice->is_wide) {
            prefetch(A, J, r_nz, 2);
            sum = sum_avx512(A, J, x + slice->base, r_nz, 1);
        } else {
            prefetch(A, J, r_nz, 1);
            sum = sum_avx512(A, J, x + slice->base, r_nz, 0);
        }
        if (slice->place != SPMV_SCATTERED) {
            __m512d diagonal = _mm512_mul_pd(_mm512_loadu_pd(&matrix->D[s * SPMV_LANES]),
                                             _mm512_loadu_pd(&own_x[slice->place]));
            _mm512_storeu_pd(&own_y[slice->place], _mm512_add_pd(diagonal, sum));
        } else {
            double sums[SPMV_LANES];
            _mm512_storeu_pd(sums, sum);
            scatter(matrix, s, sums, own_x, own_y);
        }
    }
}

static inline __attribute__((always_inline, target("avx2"))) void
sum_avx2(const double *A, const uint16_t *narrow, const double *x, size_t r_nz, int is_wide,
         __m256d sums[2])
{
    const uint32_t *wide = (const uint32_t *)(const void *)narrow;
    enum {
        HALF = SPMV_LANES / 2
    };
    sums[0] = sums[1] = _mm256_setzero_pd();
    for (size_t i = 0; i < r_nz * SPMV_LANES; i += HALF) {
        __m128i column =
            is_wide
                ? _mm_loadu_si128((const __m128i *)(const void *)&wide[i])
                : _mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)&narrow[i]));
        __m256d value = _mm256_i32gather_pd(x, column, sizeof *x);
        __m256d *sum = &sums[i / HALF % 2];
        *sum = _mm256_add_pd(*sum, _mm256_mul_pd(_mm256_loadu_pd(&A[i]), value));
    }
}

static inline __attribute__((always_inline, target("avx2"))) void
multiply_avx2(const spmv_local_matrix_t *matrix, size_t r_nz, const double *x, const double *own_x,
              double *own_y)
{
    for (size_t s = 0; s * SPMV_LANES < matrix->row_count; s++) {
        const spmv_slice_t *slice = &matrix->slices[s];
        const double *A = &matrix->A[s * SPMV_LANES * r_nz];
        const uint16_t *J = &matrix->J[slice->at];
        __m256d sums[2];
        prefetch(A, J, r_nz, slice->is_wide ? 2 : 1);
        if (slice->is_wide)
            sum_avx2(A, J, x + slice->base, r_nz, 1, sums);
        else
            sum_avx2(A, J, x + slice->base, r_nz, 0, sums);
        double plain[SPMV_LANES];
        _mm256_storeu_pd(&plain[0], sums[0]);
        _mm256_storeu_pd(&plain[SPMV_LANES / 2], sums[1]);
        scatter(matrix, s, plain, own_x, own_y);
    }
}

/* The row length of a tetrahedral mesh, known to the compiler, unrolls the inner loop. */
enum {
    TETRAHEDRA = 16
};

static __attribute__((target("avx512f"))) void product_avx512(const spmv_local_matrix_t *matrix,
                                                              const double *x, const double *own_x,
                                                              double *own_y)
{
    if (matrix->r_nz == TETRAHEDRA)
        multiply_avx512(matrix, TETRAHEDRA, x, own_x, own_y);
    else
        multiply_avx512(matrix, matrix->r_nz, x, own_x, own_y);
}

static __attribute__((target("avx2"))) void
product_avx2(const spmv_local_matrix_t *matrix, const double *x, const double *own_x, double *own_y)
{
    if (matrix->r_nz == TETRAHEDRA)
        multiply_avx2(matrix, TETRAHEDRA, x, own_x, own_y);
    else
        multiply_avx2(matrix, matrix->r_nz, x, own_x, own_y);
}

spmv_product_t *const spmv_product_avx2 = product_avx2;
spmv_product_t *const spmv_product_avx512 = product_avx512;

int spmv_product_runs(spmv_product_t *product)
{
    if (product == spmv_product_avx512)
        return __builtin_cpu_supports("avx512f") != 0;
    if (product == spmv_product_avx2)
        return __builtin_cpu_supports("avx2") != 0;
    return product == spmv_product_portable;
}

#else

spmv_product_t *const spmv_product_avx2 = NULL;
spmv_product_t *const spmv_product_avx512 = NULL;

int spmv_product_runs(spmv_product_t *product)
{
    return product == spmv_product_portable;
}

#endif

spmv_product_t *spmv_product_choose(void)
{
    if (spmv_product_runs(spmv_product_avx512))
        return spmv_product_avx512;
    return spmv_product_runs(spmv_product_avx2) ? spmv_product_avx2 : spmv_product_portable;
}
