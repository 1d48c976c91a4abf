#include "sliced.h"

#include <stdlib.h>

#include "common/large.h"

void stream_sliced_create(const double *D, const double *A, const int32_t *columns, size_t rows,
                          size_t width, stream_sliced_t *sliced)
{
    uint32_t *places = common_alloc("places", rows, sizeof *places);
    for (size_t k = 0; k < rows; k++)
        places[k] = (uint32_t)k;
    spmv_local_matrix_create(D, A, width, places, rows, (const uint32_t *)columns, &sliced->matrix);
    free(places);
}

void stream_sliced_multiply(const stream_sliced_t *sliced, const double *x, double *y)
{
    spmv_local_matrix_multiply(&sliced->matrix, x, x, y);
}

void stream_sliced_free(stream_sliced_t *sliced)
{
    spmv_local_matrix_free(&sliced->matrix);
}
