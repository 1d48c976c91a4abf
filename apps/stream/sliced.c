#include "sliced.h"

#include <stdlib.h>
#include <string.h>

#include "common/large.h"
#include "product_trial.h"

/* All of a thread's rows, in their order, none padded. */
static void list_rows(const stream_rows_t *from, spmv_rows_t *rows)
{
    size_t entries = from->count * from->width;
    *rows = (spmv_rows_t){
        .count = from->count,
        .r_nz = from->width,
        .places = common_alloc("places", from->count, sizeof(uint32_t)),
        .lengths = common_alloc("lengths of rows", from->count, sizeof(uint32_t)),
        .columns = common_alloc("columns", entries, sizeof(uint32_t)),
        .reads_own = true,
    };
    for (size_t k = 0; k < from->count; k++) {
        rows->places[k] = (uint32_t)k;
        rows->lengths[k] = (uint32_t)from->width;
    }
    memcpy(rows->columns, from->columns, entries * sizeof(uint32_t));
}

const spmv_product_t *stream_sliced_choose(const stream_rows_t *rows, const double *x, double *y)
{
    spmv_rows_t interior;
    spmv_rows_t boundary = {.r_nz = rows->width};
    list_rows(rows, &interior);
    spmv_trial_data_t data = {.D = rows->D, .A = rows->A, .own_x = x};
    data.own_y = y;
    const spmv_trial_part_t parts[SPMV_TRIAL_PARTS] = {{&interior, x}, {&boundary, x}};
    const spmv_product_t *product = spmv_product_try(&data, parts);
    spmv_rows_free(&interior);
    return product;
}

void stream_sliced_create(const stream_rows_t *rows, const spmv_product_t *product,
                          stream_sliced_t *sliced)
{
    spmv_rows_t interior;
    list_rows(rows, &interior);
    spmv_local_matrix_create(rows->D, rows->A, &interior, product->form, &sliced->matrix);
    sliced->product = product;
    spmv_rows_free(&interior);
}

void stream_sliced_multiply(const stream_sliced_t *sliced, const double *x, double *y)
{
    spmv_product_run(sliced->product, &sliced->matrix, x, x, y);
}

void stream_sliced_free(stream_sliced_t *sliced)
{
    spmv_local_matrix_free(&sliced->matrix);
}
