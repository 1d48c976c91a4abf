/**
 * Some of a thread's rows, laid out for the product, with columns that count in a private vector.
 *
 * Two may stand for all rows, such as those that can be computed at once and those that cannot.
 *
 * The rows stand in slices of eight, a row to a lane of a vector register: value j of the eight
 * rows is one cache line (the SELL layout of Kreutzer et al., SIAM J. Sci. Comput. 36(5), 2014,
 * whose rows need no sorting here, since all have as many values). A slice's columns are kept as
 * distances from the least of them, in 16 bits where that is enough, which it is for nearly all
 * slices of an ordered mesh: they are a third of the memory traffic otherwise.
 */
#ifndef SPMV_LOCAL_MATRIX_H
#define SPMV_LOCAL_MATRIX_H

#include <stddef.h>
#include <stdint.h>

/** Rows of a slice. */
#define SPMV_LANES 8

typedef struct spmv_slice {
    /** Where its columns begin, in units of 16 bits, and the column they count from. */
    uint64_t at;
    uint32_t base;
    /** The place of its first row if the others follow, else SPMV_SCATTERED. */
    uint32_t place;
    /** Whether its columns have 32 bits. */
    uint32_t is_wide;
} spmv_slice_t;

#define SPMV_SCATTERED UINT32_MAX

typedef struct spmv_local_matrix spmv_local_matrix_t;

/** Multiplies: off-diagonals take their values from `x`, diagonals from `own_x`. */
typedef void spmv_product_t(const spmv_local_matrix_t *matrix, const double *x, const double *own_x,
                            double *own_y);

struct spmv_local_matrix {
    size_t row_count;
    size_t r_nz;
    spmv_slice_t *slices;
    /** By row: its place in the thread's own part of x and y. */
    uint32_t *places;
    double *D;
    double *A;
    uint16_t *J;
    /** The fastest that this processor has (local_product.h). */
    spmv_product_t *product;
};

/**
 * Copies rows of a matrix with r_nz off-diagonals in each row: `D` by row, `A` row by row. `places`
 * says which: their 0-based numbers, `row_count` of them. `columns` has r_nz columns for each,
 * below 2^31. Nothing is needed after the call. Not collective; ends the job if there is no memory.
 */
void spmv_local_matrix_create(const double *D, const double *A, size_t r_nz, const uint32_t *places,
                              size_t row_count, const uint32_t *columns,
                              spmv_local_matrix_t *matrix);

/**
 * The product. Off-diagonals take their values from `x`, which the columns count in; diagonals from
 * `own_x`, the thread's part of x. Results go to `own_y`, its part of y. Each row is summed in the
 * order of Listing 1, without fused operations, whatever the processor.
 */
void spmv_local_matrix_multiply(const spmv_local_matrix_t *matrix, const double *x,
                                const double *own_x, double *own_y);

/** Frees the copies. */
void spmv_local_matrix_free(spmv_local_matrix_t *matrix);

#endif
