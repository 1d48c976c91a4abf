#include "local_product.h"

#include <string.h>

/* All column widths of a product, with and without prefetching. */
#define FORMS(text, by_row, function, needed) \
    {text "-16", {by_row, true, false}, function, needed}, \
        {text "-32", {by_row, false, false}, function, needed}, \
        {text "-16-x", {by_row, true, true}, function, needed}, \
    { \
        text "-32-x", {by_row, false, true}, function, needed \
    }

const spmv_product_t spmv_products[SPMV_PRODUCTS] = {
    FORMS("rows", true, spmv_multiply_rows, SPMV_ANY),
    FORMS("lanes", false, spmv_multiply_lanes, SPMV_ANY),
    FORMS("loads4", false, spmv_multiply_loads4, SPMV_AVX2),
    FORMS("loads8", false, spmv_multiply_loads8, SPMV_AVX512),
    FORMS("gather4", false, spmv_multiply_gather4, SPMV_AVX2),
    FORMS("gather8", false, spmv_multiply_gather8, SPMV_AVX512),
};

bool spmv_product_runs(const spmv_product_t *product)
{
#if defined(__x86_64__)
    if (product->isa == SPMV_AVX512)
        return __builtin_cpu_supports("avx512f") != 0;
    if (product->isa == SPMV_AVX2)
        return __builtin_cpu_supports("avx2") != 0;
#endif
    return product->isa == SPMV_ANY;
}

const spmv_product_t *spmv_product_find(const char *name)
{
    for (size_t p = 0; p < SPMV_PRODUCTS; p++)
        if (strcmp(spmv_products[p].name, name) == 0)
            return &spmv_products[p];
    return NULL;
}

void spmv_product_run(const spmv_product_t *product, const spmv_local_matrix_t *matrix,
                      const double *x, const double *own_x, double *own_y)
{
    product->multiply(matrix, 0, matrix->slice_count, x, own_x, own_y);
}
