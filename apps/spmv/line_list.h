/**
 * Which lines of x a product prefetches, because it uses them out of order.
 *
 * A line is 64 bytes of x. The hardware fetches lines that are used in order, and those still in
 * the second-level cache need no fetch (support/reuse.h has the rule, by which the performance
 * model counts too). What remains is a line for every few rows of a mesh in good order. A core
 * waits for each, since the few rows that it works on at a time seldom need two of them; prefetched
 * in time, they arrive together with the matrix.
 */
#ifndef SPMV_LINE_LIST_H
#define SPMV_LINE_LIST_H

#include "slice.h"

/** Sets the lines of a matrix, and line_at of its slices. `order` has the rows as they stand in the
 *  slices; one product reads `nbytes` bytes of the matrix. Ends the job if there is no memory. */
void spmv_line_list_make(const spmv_rows_t *rows, const uint32_t *order, size_t nbytes,
                         spmv_local_matrix_t *matrix);

#endif
