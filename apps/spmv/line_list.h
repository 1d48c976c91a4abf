/**
 * Which lines of x a product is to fetch ahead, because they come out of order.
 *
 * A line is 64 bytes of x. Those in order come by themselves, and those that are still in the
 * second-level cache need not come (support/reuse.h has the rule, which the performance model
 * counts by). What remains is a line for every few rows of a mesh in good order. A core waits for
 * each, since the entries of the few rows that it works on at a time seldom have two of them; asked
 * for in time, they come beside the matrix.
 */
#ifndef SPMV_LINE_LIST_H
#define SPMV_LINE_LIST_H

#include "slice.h"

/** Sets the lines of a matrix, and line_at of its slices. `order` has the rows as they stand in the
 *  slices; one product reads `nbytes` bytes of the matrix. Ends the job if there is no memory. */
void spmv_line_list_make(const spmv_rows_t *rows, const uint32_t *order, size_t nbytes,
                         spmv_local_matrix_t *matrix);

#endif
