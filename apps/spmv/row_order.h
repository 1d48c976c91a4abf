/**
 * In which order rows of different lengths stand in slices, so that little of these is padding.
 */
#ifndef SPMV_ROW_ORDER_H
#define SPMV_ROW_ORDER_H

#include <stddef.h>
#include <stdint.h>

/** Rows that may change places with each other: their parts of x and y stay in the nearest cache.
 */
#define SPMV_WINDOW 4096

/**
 * Finds the order, `order[k]` being the row that stands at place k. Not collective.
 *
 * Rows keep their order unless the slices would hold a quarter more than with the rows of each
 * window sorted by length, longest first, where rows of one length keep their order. Padding is
 * then less than SPMV_LANES - 1 times the longest row for each window.
 */
void spmv_row_order_find(const uint32_t *lengths, size_t count, uint32_t *order);

#endif
