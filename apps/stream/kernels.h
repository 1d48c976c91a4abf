/**
 * STREAM's four kernels and a sum, on plain arrays, and what the arrays must hold afterwards.
 */
#ifndef STREAM_KERNELS_H
#define STREAM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum stream_kernel {
    /** c = a */
    STREAM_COPY = 0,
    /** b = s c */
    STREAM_SCALE,
    /** c = a + b */
    STREAM_ADD,
    /** a = b + s c */
    STREAM_TRIAD,
    /** The sum of a: reading alone. */
    STREAM_SUM,
    STREAM_KERNELS
} stream_kernel_t;

/** Their names in reports. */
extern const char *const stream_kernel_names[STREAM_KERNELS];

/** Bytes per element, as STREAM counts: a line that is fetched only to be overwritten is not
 *  counted. */
extern const size_t stream_kernel_bytes[STREAM_KERNELS];

/** s: chosen so that values shrink slowly from one round of kernels to the next, to 0.99996 of what
 *  they were: a missing kernel is noticed, and a million rounds leave normal numbers. */
#define STREAM_FACTOR 0.4142

/** Three arrays; those of one kernel call do not overlap. */
typedef struct stream_arrays {
    double *a;
    double *b;
    double *c;
} stream_arrays_t;

/** What all elements of a, of b and of c hold. */
typedef struct stream_values {
    double a;
    double b;
    double c;
} stream_values_t;

/** Runs a kernel over `count` elements, vectorised. Returns the sum, for STREAM_SUM, else 0. */
double stream_kernel_run(stream_kernel_t kernel, const stream_arrays_t *arrays, size_t count);

/** What the arrays hold at the start. */
extern const stream_values_t stream_start_values;

/** Writes the start values to `count` elements of each array. */
void stream_kernel_start(const stream_arrays_t *arrays, size_t count);

/** Applies to one element what a kernel does to all. */
void stream_kernel_expect(stream_kernel_t kernel, stream_values_t *values);

/** True if all `count` elements of the arrays are as expected, to 1e-13 of their value. */
bool stream_kernel_check(const stream_arrays_t *arrays, size_t count,
                         const stream_values_t *expected);

#endif
