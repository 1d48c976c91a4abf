/**
 * The product of sparse rows, all with the same number of off-diagonals, with a plain vector: the
 * last loop of Listings 4 and 5.
 */
#ifndef COMMON_PRODUCT_H
#define COMMON_PRODUCT_H

#include <stddef.h>
#include <stdint.h>

/**
 * y[k] = D[k] x[offset + k] + sum of A[k r_nz + j] x[J[k r_nz + j]] over j, for `rows` rows.
 *
 * Prefetches the matrix, also past the ends of A and J, which is harmless. Not collective.
 */
void common_product(size_t rows, size_t r_nz, const double *D, const double *A, const int32_t *J,
                    const double *x, size_t offset, double *y);

#endif
