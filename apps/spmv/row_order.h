/**
 * The order in which slices hold rows of different lengths, so that they have little padding.
 */
#ifndef SPMV_ROW_ORDER_H
#define SPMV_ROW_ORDER_H

#include <stddef.h>
#include <stdint.h>

/**
 * Finds the order, `order[k]` being the row that stands at place k. Not collective.
 *
 * Rows keep their order as slices_keep_order says (support/slices.h), compared with the rows of
 * each window sorted by length, longest first, where rows of one length keep their order. Padding
 * is then less than SPMV_LANES - 1 times the longest row for each window.
 */
void spmv_row_order_find(const uint32_t *lengths, size_t count, uint32_t *order);

#endif
