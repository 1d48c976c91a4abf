#include "row_loops.h"

#include "common/product.h"

void stream_multiply_rows(void *context, size_t count)
{
    const stream_row_run_t *run = context;
    const stream_rows_t *rows = &run->rows;
    for (size_t i = 0; i < count; i++)
        common_product(rows->count, rows->width, rows->D, rows->A, rows->columns, run->x, 0,
                       run->y);
}

void stream_multiply_slices(void *context, size_t count)
{
    const stream_row_run_t *run = context;
    for (size_t i = 0; i < count; i++)
        stream_sliced_multiply(&run->sliced, run->own_x, run->y);
}

const stream_loop_t stream_row_loops[STREAM_ROW_LOOPS] = {stream_multiply_rows,
                                                          stream_multiply_slices};
