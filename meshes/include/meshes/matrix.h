/**
 * A sparse matrix in memory, in the modified EllPack format.
 *
 * The diagonal stands apart in D. Every row has the same number of places for off-diagonals,
 * `row_nonzeros`, stored row by row: place k of row i is A[i * row_nonzeros + k], and its column
 * is J[i * row_nonzeros + k], 0-based. A row with fewer off-diagonals is padded with the value 0
 * and the row's own number as the column. The product y = M x is
 *
 *     y[i] = D[i] * x[i] + sum over k of A[i * row_nonzeros + k] * x[J[i * row_nonzeros + k]]
 */
#ifndef MESHES_MATRIX_H
#define MESHES_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meshes/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The matrix. All zero is the empty matrix. Whoever made it frees it with mesh_matrix_free. */
typedef struct mesh_matrix {
    /** Number of rows and of columns; below 2^31. */
    size_t rows;
    /** Places for off-diagonals in every row; at least 1. */
    size_t row_nonzeros;
    /** `rows` diagonal values. */
    double *D;
    /** `rows * row_nonzeros` off-diagonal values. */
    double *A;
    /** `rows * row_nonzeros` columns. */
    int32_t *J;
    /** `rows` numbers the rows had before any renumbering; NULL: not known. */
    int32_t *original;
    /** Step of the time integration the matrix does, 0 if it does none. */
    double time_step;
} mesh_matrix_t;

/** How far the nonzeros of a matrix lie from its diagonal. Padding is not counted. */
typedef struct mesh_bandwidth {
    /** The largest |i - j| over the off-diagonals. */
    size_t largest;
    /** The mean |i - j| over the off-diagonals; 0 when there are none. */
    double mean;
} mesh_bandwidth_t;

/** Allocates all arrays: every row is padded, every value 0, and `original` 0, 1, 2, ... False when
 *  memory runs out or a size is out of range. */
bool mesh_matrix_alloc(size_t rows, size_t row_nonzeros, mesh_matrix_t *matrix,
                       mesh_error_t *error);

/** Frees the arrays and empties the matrix. Harmless on an empty one. */
void mesh_matrix_free(mesh_matrix_t *matrix);

/** Number of off-diagonals that are not padding. */
size_t mesh_matrix_offdiagonals(const mesh_matrix_t *matrix);

mesh_bandwidth_t mesh_matrix_bandwidth(const mesh_matrix_t *matrix);

/** Counts what a product with this matrix must fetch: for every thread the distinct columns that
 *  its rows use and other threads own, summed over threads, where thread (i / block) % threads
 *  owns row and entry i. `threads` and `block` are at least 1. False when memory runs out. */
bool mesh_matrix_foreign(const mesh_matrix_t *matrix, size_t threads, size_t block, size_t *foreign,
                         mesh_error_t *error);

/** y = M x in one thread; x and y have `rows` entries and do not overlap. */
void mesh_matrix_multiply(const mesh_matrix_t *matrix, const double *x, double *y);

#ifdef __cplusplus
}
#endif
#endif
