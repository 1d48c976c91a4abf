/* All threads at once read as many bytes as a product does, in order and without using them: the
 * speed of a product that waits for nothing but memory. */
#include <pgas/pgas.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum {
    LINE_WORDS = 64 / sizeof(uint64_t),
    LINES_AHEAD = 32
};

/* Every word of every line. */
static void read_all(const uint64_t *words, size_t lines)
{
    uint64_t sums[LINE_WORDS] = {0};
    for (size_t i = 0; i < lines * LINE_WORDS; i += LINE_WORDS) {
        __builtin_prefetch(&words[i + (size_t)LINES_AHEAD * LINE_WORDS]);
        for (size_t k = 0; k < LINE_WORDS; k++)
            sums[k] ^= words[i + k];
    }
    __asm__ volatile("" : : "r"(sums) : "memory");
}

/* Seconds until the last thread has finished that many passes. */
static double time_passes(const uint64_t *words, size_t lines, char *written, size_t written_bytes,
                          size_t passes)
{
    pgas_barrier();
    double begin = bench_seconds();
    for (size_t pass = 0; pass < passes; pass++) {
        read_all(words, lines);
        memset(written, (int)pass, written_bytes);
        __asm__ volatile("" : : "r"(written) : "memory");
    }
    pgas_barrier();
    return bench_seconds() - begin;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s READ-BYTES [WRITTEN-BYTES [PASSES [REPETITIONS]]]\n", argv[0]);
        return 2;
    }
    size_t read_bytes = bench_argument(argc, argv, 1, 1);
    size_t written_bytes = bench_argument(argc, argv, 2, 1);
    size_t passes = bench_argument(argc, argv, 3, 100);
    size_t repetitions = bench_argument(argc, argv, 4, 3);
    if (pgas_init() != PGAS_OK)
        return 1;
    size_t threads = (size_t)pgas_threads();
    size_t lines = read_bytes / threads / 64 + 1;
    size_t own_written = written_bytes / threads + 1;
    uint64_t *words = bench_allocate(lines * 64, 1);
    char *written = bench_allocate(own_written, 1);
    double *times = bench_allocate(repetitions * sizeof *times, 0);
    time_passes(words, lines, written, own_written, 1 + passes / 10);
    for (size_t i = 0; i < repetitions; i++)
        times[i] =
            time_passes(words, lines, written, own_written, passes) * 1000.0 / (double)passes;
    if (pgas_mythread() == 0)
        bench_print("read_s_per_1000", bench_summarise(times, repetitions));
    free(times);
    free(written);
    free(words);
    pgas_finalize();
    return 0;
}
