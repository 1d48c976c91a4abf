/**
 * Some of a thread's rows, laid out for the product, with columns that index a private vector.
 *
 * Two of them may hold all rows, such as those that can be computed at once and those that cannot.
 *
 * The rows stand in slices of eight, each as wide as its longest row, or all as wide as the longest
 * of all where that stores little more (the SELL-C-sigma layout of Kreutzer et al., SIAM J. Sci.
 * Comput. 36(5), 2014). Shorter rows are padded with a value of 0 in the row's last column. Where
 * lengths differ so much that padding would be expensive, rows are sorted by length, within
 * windows, and a list gives the places of results (row_order.h). A slice stores its columns as
 * distances from the least of them. The product decides on the rest of the form (local_product.h).
 */
#ifndef SPMV_LOCAL_MATRIX_H
#define SPMV_LOCAL_MATRIX_H

#include <stddef.h>

#include "slice.h"

/** Frees the arrays of rows that were allocated from the heap. */
void spmv_rows_free(spmv_rows_t *rows);

/** Copies rows of a matrix, `D` by row and `A` row by row, r_nz each. Nothing is needed after the
 *  call. Not collective; ends the job if there is no memory. */
void spmv_local_matrix_create(const double *D, const double *A, const spmv_rows_t *rows,
                              spmv_form_t form, spmv_local_matrix_t *matrix);

/** Bytes that one product reads of the matrix, x and y not counted. */
size_t spmv_local_matrix_bytes(const spmv_local_matrix_t *matrix);

/** Frees the copies. */
void spmv_local_matrix_free(spmv_local_matrix_t *matrix);

#endif
