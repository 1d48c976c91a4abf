/**
 * The product of a local matrix, for one kind of processor each. They differ in speed only.
 */
#ifndef SPMV_LOCAL_PRODUCT_H
#define SPMV_LOCAL_PRODUCT_H

#include "local_matrix.h"

/** For any processor. */
spmv_product_t spmv_product_portable;

/** For processors with AVX2, and with AVX-512F; NULL where the compiler does not know those. */
extern spmv_product_t *const spmv_product_avx2;
extern spmv_product_t *const spmv_product_avx512;

/** Whether this processor can run a product. */
int spmv_product_runs(spmv_product_t *product);

/** The fastest that this processor can run. */
spmv_product_t *spmv_product_choose(void);

#endif
