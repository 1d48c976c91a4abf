#include "kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>
#endif

/* Compiled without fused multiplication and addition (CMakeLists.txt). */

static inline __attribute__((always_inline)) void compute(const double *restrict phi, size_t pitch,
                                                          double *restrict phin, size_t count,
                                                          const heat_coefficients_t *coefficients)
{
    const double dx2i = coefficients->dx2i;
    const double dy2i = coefficients->dy2i;
    const double dt = coefficients->dt;
    const double *above = phi - pitch;
    const double *below = phi + pitch;
    for (size_t k = 0; k < count; k++)
        phin[k] = phi[k] + ((below[k] + above[k] - 2.0 * phi[k]) * dy2i +
                            (phi[k + 1] + (phi - 1)[k] - 2.0 * phi[k]) * dx2i) *
                               dt;
}

void heat_row_portable(const double *phi, size_t pitch, double *phin, size_t count,
                       const heat_coefficients_t *coefficients)
{
    compute(phi, pitch, phin, count, coefficients);
}

#if defined(__x86_64__)

static __attribute__((target("avx2"))) void row_avx2(const double *phi, size_t pitch, double *phin,
                                                     size_t count,
                                                     const heat_coefficients_t *coefficients)
{
    compute(phi, pitch, phin, count, coefficients);
}

/* gcc prefers vectors of half the length. */
#if defined(__clang__)
#define WHOLE_VECTORS "avx512f"
#else
#define WHOLE_VECTORS "avx512f,prefer-vector-width=512"
#endif

static __attribute__((target(WHOLE_VECTORS))) void
row_avx512(const double *phi, size_t pitch, double *phin, size_t count,
           const heat_coefficients_t *coefficients)
{
    compute(phi, pitch, phin, count, coefficients);
}

/* Points before the first one whose new value begins a vector. */
static size_t before_aligned(const double *phin, size_t nbytes, size_t count)
{
    size_t head = (nbytes - (uintptr_t)phin % nbytes) % nbytes / sizeof *phin;
    return head < count ? head : count;
}

static __attribute__((target("avx2"))) void
row_avx2_streaming(const double *phi, size_t pitch, double *phin, size_t count,
                   const heat_coefficients_t *coefficients)
{
    const __m256d dx2i = _mm256_set1_pd(coefficients->dx2i);
    const __m256d dy2i = _mm256_set1_pd(coefficients->dy2i);
    const __m256d dt = _mm256_set1_pd(coefficients->dt);
    const __m256d two = _mm256_set1_pd(2.0);
    size_t k = before_aligned(phin, sizeof dt, count);
    compute(phi, pitch, phin, k, coefficients);
    for (; k + 4 <= count; k += 4) {
        __m256d here = _mm256_loadu_pd(&phi[k]);
        __m256d twice = _mm256_mul_pd(two, here);
        __m256d y =
            _mm256_add_pd(_mm256_loadu_pd(&(phi + pitch)[k]), _mm256_loadu_pd(&(phi - pitch)[k]));
        __m256d x = _mm256_add_pd(_mm256_loadu_pd(&phi[k + 1]), _mm256_loadu_pd(&(phi - 1)[k]));
        y = _mm256_mul_pd(_mm256_sub_pd(y, twice), dy2i);
        x = _mm256_mul_pd(_mm256_sub_pd(x, twice), dx2i);
        _mm256_stream_pd(&phin[k], _mm256_add_pd(here, _mm256_mul_pd(_mm256_add_pd(y, x), dt)));
    }
    compute(&phi[k], pitch, &phin[k], count - k, coefficients);
}

static __attribute__((target("avx512f"))) void
row_avx512_streaming(const double *phi, size_t pitch, double *phin, size_t count,
                     const heat_coefficients_t *coefficients)
{
    const __m512d dx2i = _mm512_set1_pd(coefficients->dx2i);
    const __m512d dy2i = _mm512_set1_pd(coefficients->dy2i);
    const __m512d dt = _mm512_set1_pd(coefficients->dt);
    const __m512d two = _mm512_set1_pd(2.0);
    size_t k = before_aligned(phin, sizeof dt, count);
    compute(phi, pitch, phin, k, coefficients);
    for (; k + 8 <= count; k += 8) {
        __m512d here = _mm512_loadu_pd(&phi[k]);
        __m512d twice = _mm512_mul_pd(two, here);
        __m512d y =
            _mm512_add_pd(_mm512_loadu_pd(&(phi + pitch)[k]), _mm512_loadu_pd(&(phi - pitch)[k]));
        __m512d x = _mm512_add_pd(_mm512_loadu_pd(&phi[k + 1]), _mm512_loadu_pd(&(phi - 1)[k]));
        y = _mm512_mul_pd(_mm512_sub_pd(y, twice), dy2i);
        x = _mm512_mul_pd(_mm512_sub_pd(x, twice), dx2i);
        _mm512_stream_pd(&phin[k], _mm512_add_pd(here, _mm512_mul_pd(_mm512_add_pd(y, x), dt)));
    }
    compute(&phi[k], pitch, &phin[k], count - k, coefficients);
}

heat_row_t *const heat_row_avx2 = row_avx2;
heat_row_t *const heat_row_avx512 = row_avx512;
heat_row_t *const heat_row_avx2_streaming = row_avx2_streaming;
heat_row_t *const heat_row_avx512_streaming = row_avx512_streaming;

void heat_row_finish(void)
{
    _mm_sfence();
}

bool heat_row_runs(heat_row_t *row)
{
    if (row == heat_row_avx512 || row == heat_row_avx512_streaming)
        return __builtin_cpu_supports("avx512f") != 0;
    if (row == heat_row_avx2 || row == heat_row_avx2_streaming)
        return __builtin_cpu_supports("avx2") != 0;
    return row == heat_row_portable;
}

#else

heat_row_t *const heat_row_avx2 = NULL;
heat_row_t *const heat_row_avx512 = NULL;
heat_row_t *const heat_row_avx2_streaming = NULL;
heat_row_t *const heat_row_avx512_streaming = NULL;

void heat_row_finish(void)
{
}

bool heat_row_runs(heat_row_t *row)
{
    return row == heat_row_portable;
}

#endif

heat_row_t *heat_row_choose(bool streaming)
{
    heat_row_t *const fast[] = {heat_row_avx512, heat_row_avx2, heat_row_portable};
    heat_row_t *const past_caches[] = {heat_row_avx512_streaming, heat_row_avx2_streaming};
    if (streaming) {
        for (size_t i = 0; i < sizeof past_caches / sizeof past_caches[0]; i++)
            if (heat_row_runs(past_caches[i]))
                return past_caches[i];
        return NULL;
    }
    for (size_t i = 0; i < sizeof fast / sizeof fast[0]; i++)
        if (heat_row_runs(fast[i]))
            return fast[i];
    return heat_row_portable;
}
