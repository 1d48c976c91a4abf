/* The heat kernel and STREAM's triad in turn, each with values stored through the caches and past
 * them. Prints thread 0's gigabytes per second while all threads do the same, counted as in formula
 * (22) and in STREAM: 24 bytes per point. */
#include "kernel.h"

#include <pgas/pgas.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "measure.h"

enum {
    HALF_PAGE = 2048 / sizeof(double)
};

static const heat_coefficients_t coefficients = {.dx2i = 1e6, .dy2i = 1e6, .dt = 2e-7};

/* Three arrays of `rows` + 2 rows, half a page apart. */
typedef struct work {
    size_t rows;
    size_t pitch;
    double *memory[3];
    double *array[3];
} work_t;

static void triad(const work_t *work, size_t count)
{
    double *restrict a = work->array[2];
    const double *restrict b = work->array[0];
    const double *restrict c = work->array[1];
    for (size_t i = 0; i < count; i++)
        a[i] = b[i] + 3.0 * c[i];
    __asm__ volatile("" : : "r"(a) : "memory");
}

static void triad_streaming(const work_t *work, size_t count)
{
#if defined(__x86_64__)
    const __m128d three = _mm_set1_pd(3.0);
    for (size_t i = 0; i + 2 <= count; i += 2)
        _mm_stream_pd(&work->array[2][i],
                      _mm_add_pd(_mm_load_pd(&work->array[0][i]),
                                 _mm_mul_pd(three, _mm_load_pd(&work->array[1][i]))));
    _mm_sfence();
#else
    triad(work, count);
#endif
}

/* One of the four; returns GB/s. */
static double run(const work_t *work, int what)
{
    size_t points = work->rows * (work->pitch - 16);
    heat_row_t *row = heat_row_choose(what == 3);
    if (row == NULL)
        row = heat_row_choose(false);
    pgas_barrier();
    double begin = bench_cpu_seconds();
    if (what == 0)
        triad(work, points);
    else if (what == 1)
        triad_streaming(work, points);
    else
        for (size_t i = 1; i <= work->rows; i++)
            row(&work->array[0][i * work->pitch + 8], work->pitch,
                &work->array[1][i * work->pitch + 8], work->pitch - 16, &coefficients);
    heat_row_finish();
    double seconds = bench_cpu_seconds() - begin;
    pgas_barrier();
    return 24e-9 * (double)points / seconds;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"triad_gb_per_s", "triad_streaming_gb_per_s",
                                        "heat_gb_per_s", "heat_streaming_gb_per_s"};
    size_t rows = bench_argument(argc, argv, 1, 5000);
    size_t cols = bench_argument(argc, argv, 2, 5000);
    size_t rounds = bench_argument(argc, argv, 3, 15);
    if (pgas_init() != PGAS_OK)
        return 1;
    work_t work = {.rows = rows, .pitch = cols / 8 * 8 + 16};
    for (size_t a = 0; a < 3; a++) {
        size_t count = (rows + 2) * work.pitch + 3 * (size_t)HALF_PAGE;
        work.memory[a] = bench_allocate(count * sizeof(double), 1);
        work.array[a] = work.memory[a] + a % 2 * (size_t)HALF_PAGE;
    }
    double *speeds = bench_allocate(4 * rounds * sizeof *speeds, 0);
    double *ratios = bench_allocate(2 * rounds * sizeof *ratios, 0);
    for (size_t r = 0; r < rounds; r++) {
        for (int what = 0; what < 4; what++)
            speeds[(size_t)what * rounds + r] = run(&work, what);
        ratios[r] = speeds[2 * rounds + r] / speeds[r];
        ratios[rounds + r] = speeds[2 * rounds + r] / speeds[rounds + r];
    }
    if (pgas_mythread() == 0) {
        for (size_t what = 0; what < 4; what++)
            bench_print(names[what], bench_summarise(&speeds[what * rounds], rounds));
        bench_print("heat_to_triad_ratio", bench_summarise(ratios, rounds));
        bench_print("heat_to_triad_streaming_ratio", bench_summarise(&ratios[rounds], rounds));
    }
    for (size_t a = 0; a < 3; a++)
        free(work.memory[a]);
    free(ratios);
    free(speeds);
    pgas_finalize();
    return 0;
}
