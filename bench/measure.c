#include "measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_seconds(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double bench_cpu_seconds(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

bench_summary_t bench_summarise(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    bench_summary_t summary = {
        .median = 0.5 * (values[(count - 1) / 2] + values[count / 2]),
        .min = values[0],
        .max = values[count - 1],
    };
    return summary;
}

void bench_print(const char *name, bench_summary_t summary)
{
    printf("%s %.6g %.6g %.6g\n", name, summary.median, summary.min, summary.max);
    fflush(stdout);
}

size_t bench_argument(int argc, char **argv, int index, size_t otherwise)
{
    if (index >= argc)
        return otherwise;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(argv[index], &end, 10);
    if (errno != 0 || *end != '\0' || value == 0 || strchr(argv[index], '-') != NULL) {
        fprintf(stderr, "%s: '%s' is not a whole number above 0\n", argv[0], argv[index]);
        exit(2);
    }
    return (size_t)value;
}

void *bench_allocate(size_t nbytes, int huge)
{
    const size_t huge_page = (size_t)2 << 20;
    void *memory = NULL;
    if (posix_memalign(&memory, huge_page, nbytes) != 0) {
        fprintf(stderr, "no memory for %zu bytes\n", nbytes);
        exit(1);
    }
    /* Advice only: both kinds of page are correct. */
    madvise(memory, nbytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    memset(memory, 1, nbytes);
    return memory;
}
