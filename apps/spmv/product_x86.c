/* Products with the vector instructions of x86-64. Compiled without fused multiplication and
 * addition (CMakeLists.txt). */
#include "slice_loop.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f")))

enum {
    HALF = SPMV_LANES / 2
};

/* -- values of x for four rows, and for eight, entries i and on -- */

SPMV_INLINE AVX2 __m256d load4(spmv_columns_t J, bool is_wide, size_t i, const double *x)
{
    __m128d low = _mm_loadh_pd(_mm_load_sd(&x[spmv_column(J, is_wide, i)]),
                               &x[spmv_column(J, is_wide, i + 1)]);
    __m128d high = _mm_loadh_pd(_mm_load_sd(&x[spmv_column(J, is_wide, i + 2)]),
                                &x[spmv_column(J, is_wide, i + 3)]);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

SPMV_INLINE AVX2 __m256d gather4(spmv_columns_t J, bool is_wide, size_t i, const double *x)
{
    const void *at = is_wide ? (const void *)&J.wide[i] : (const void *)&J.narrow[i];
    __m128i column = is_wide ? _mm_loadu_si128(at) : _mm_cvtepu16_epi32(_mm_loadl_epi64(at));
    return _mm256_i32gather_pd(x, column, sizeof *x);
}

SPMV_INLINE AVX512 __m512d load8(spmv_columns_t J, bool is_wide, size_t i, const double *x)
{
    __m256d low = load4(J, is_wide, i, x);
    __m256d high = load4(J, is_wide, i + HALF, x);
    return _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
}

SPMV_INLINE AVX512 __m512d gather8(spmv_columns_t J, bool is_wide, size_t i, const double *x)
{
    const void *at = is_wide ? (const void *)&J.wide[i] : (const void *)&J.narrow[i];
    __m256i column = is_wide ? _mm256_loadu_si256(at) : _mm256_cvtepu16_epi32(_mm_loadu_si128(at));
    return _mm512_i32gather_pd(column, x, sizeof *x);
}

/* -- sums -- */

#define DEFINE_SUM4(name, read) \
    SPMV_INLINE AVX2 void name(const double *A, spmv_columns_t J, bool is_wide, size_t length, \
                               const double *x, double *sums) \
    { \
        __m256d low = _mm256_setzero_pd(); \
        __m256d high = _mm256_setzero_pd(); \
        for (size_t i = 0; i < length * SPMV_LANES; i += SPMV_LANES) { \
            spmv_fetch_entries(A, J, is_wide, i); \
            __m256d first = _mm256_mul_pd(_mm256_loadu_pd(&A[i]), read(J, is_wide, i, x)); \
            __m256d second = \
                _mm256_mul_pd(_mm256_loadu_pd(&A[i + HALF]), read(J, is_wide, i + HALF, x)); \
            low = _mm256_add_pd(low, first); \
            high = _mm256_add_pd(high, second); \
        } \
        _mm256_storeu_pd(&sums[0], low); \
        _mm256_storeu_pd(&sums[HALF], high); \
    }

#define DEFINE_SUM8(name, read) \
    SPMV_INLINE AVX512 void name(const double *A, spmv_columns_t J, bool is_wide, size_t length, \
                                 const double *x, double *sums) \
    { \
        __m512d sum = _mm512_setzero_pd(); \
        for (size_t i = 0; i < length * SPMV_LANES; i += SPMV_LANES) { \
            spmv_fetch_entries(A, J, is_wide, i); \
            sum = \
                _mm512_add_pd(sum, _mm512_mul_pd(_mm512_loadu_pd(&A[i]), read(J, is_wide, i, x))); \
        } \
        _mm512_storeu_pd(sums, sum); \
    }

DEFINE_SUM4(sum_loads4, load4)
DEFINE_SUM4(sum_gather4, gather4)
DEFINE_SUM8(sum_loads8, load8)
DEFINE_SUM8(sum_gather8, gather8)

/* -- products -- */

AVX2 void spmv_multiply_loads4(const spmv_local_matrix_t *matrix, size_t begin, size_t end,
                               const double *x, const double *own_x, double *own_y)
{
    spmv_slice_loop(matrix, begin, end, x, own_x, own_y, sum_loads4);
}

AVX2 void spmv_multiply_gather4(const spmv_local_matrix_t *matrix, size_t begin, size_t end,
                                const double *x, const double *own_x, double *own_y)
{
    spmv_slice_loop(matrix, begin, end, x, own_x, own_y, sum_gather4);
}

AVX512 void spmv_multiply_loads8(const spmv_local_matrix_t *matrix, size_t begin, size_t end,
                                 const double *x, const double *own_x, double *own_y)
{
    spmv_slice_loop(matrix, begin, end, x, own_x, own_y, sum_loads8);
}

AVX512 void spmv_multiply_gather8(const spmv_local_matrix_t *matrix, size_t begin, size_t end,
                                  const double *x, const double *own_x, double *own_y)
{
    spmv_slice_loop(matrix, begin, end, x, own_x, own_y, sum_gather8);
}

#else

/* Never run: no other processor has the instructions they need (spmv_product_runs). */
#define DEFINE_ABSENT(name) \
    void name(const spmv_local_matrix_t *matrix, size_t begin, size_t end, const double *x, \
              const double *own_x, double *own_y) \
    { \
        spmv_multiply_lanes(matrix, begin, end, x, own_x, own_y); \
    }

DEFINE_ABSENT(spmv_multiply_loads4)
DEFINE_ABSENT(spmv_multiply_loads8)
DEFINE_ABSENT(spmv_multiply_gather4)
DEFINE_ABSENT(spmv_multiply_gather8)

#endif
