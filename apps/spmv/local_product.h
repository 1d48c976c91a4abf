/**
 * The available products of a local matrix. They differ only in speed: which one is fastest depends
 * on the processor and on the matrix (product_trial.h).
 *
 * A name has up to three parts. The first is how a row's values of x are read:
 *
 *   rows     a row after the other, with one sum
 *   lanes    the eight rows of a slice together, with eight sums
 *   loads4   as lanes, four rows to a vector register, x by single loads; AVX2
 *   loads8   eight rows to a vector register, x by single loads; AVX-512
 *   gather4  as loads4, x by vector gathers
 *   gather8  as loads8, x by vector gathers
 *
 * The second is the bits of a column: 16 where a slice's columns allow it, or 32. The third is "x"
 * for products that prefetch lines of x.
 */
#ifndef SPMV_LOCAL_PRODUCT_H
#define SPMV_LOCAL_PRODUCT_H

#include "local_matrix.h"

/** Multiplies the rows of slices begin .. end - 1. Off-diagonals take their values from `x`, which
 *  the columns index; diagonals from `own_x`, the thread's part of x. Results go to `own_y`, its
 *  part of y. Each row is summed in the order of Listing 1, without fused operations. */
typedef void spmv_multiply_t(const spmv_local_matrix_t *matrix, size_t begin, size_t end,
                             const double *x, const double *own_x, double *own_y);

/** What a processor must have. */
typedef enum spmv_isa {
    SPMV_ANY = 0,
    SPMV_AVX2,
    SPMV_AVX512
} spmv_isa_t;

typedef struct spmv_product {
    const char *name;
    spmv_form_t form;
    spmv_multiply_t *multiply;
    spmv_isa_t isa;
} spmv_product_t;

/** The number of products. */
#define SPMV_PRODUCTS 24

/** All products. */
extern const spmv_product_t spmv_products[SPMV_PRODUCTS];

/** Whether this processor can run a product. */
bool spmv_product_runs(const spmv_product_t *product);

/** The product with this name, or NULL. */
const spmv_product_t *spmv_product_find(const char *name);

/** Multiplies all rows of a matrix created in the product's form, with or without `fetches`. */
void spmv_product_run(const spmv_product_t *product, const spmv_local_matrix_t *matrix,
                      const double *x, const double *own_x, double *own_y);

/** Those of product_any.c and, where the compiler makes code for x86-64, product_x86.c. */
spmv_multiply_t spmv_multiply_rows;
spmv_multiply_t spmv_multiply_lanes;
spmv_multiply_t spmv_multiply_loads4;
spmv_multiply_t spmv_multiply_loads8;
spmv_multiply_t spmv_multiply_gather4;
spmv_multiply_t spmv_multiply_gather8;

#endif
