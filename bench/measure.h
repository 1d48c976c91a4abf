/**
 * Shared by the benchmarks: a clock, medians, and lines that scripts can read.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>

/** Summary of a series of measurements. */
typedef struct bench_summary {
    double median;
    double min;
    double max;
} bench_summary_t;

/** Seconds of a clock that only goes forward. */
double bench_seconds(void);

/** Seconds of processor time of the calling process, without the time in which others ran. */
double bench_cpu_seconds(void);

/** Summarises `count` (> 0) values; sorts them. */
bench_summary_t bench_summarise(double *values, size_t count);

/** Prints "name median min max" as one line: what the scripts of this folder read. */
void bench_print(const char *name, bench_summary_t summary);

/** The argument `index` of the command line as a number > 0, or `otherwise` if it is missing. Ends
 *  the process with one line and status 2 if it is not such a number. */
size_t bench_argument(int argc, char **argv, int index, size_t otherwise);

/** Memory for `nbytes` bytes, at a multiple of 2 MiB, on 2 MiB pages where `huge` is not 0 and the
 *  kernel grants them, else on the kernel's usual pages. The memory has been written once. The
 *  caller frees it. Ends the process if there is not enough. */
void *bench_allocate(size_t nbytes, int huge);

#endif
