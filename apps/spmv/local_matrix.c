#include "local_matrix.h"

#include <stdlib.h>

#include "common/large.h"
#include "line_list.h"
#include "row_order.h"

/* Where rows come from. */
typedef struct source {
    const double *D;
    const double *A;
    const spmv_rows_t *rows;
    /* The rows in the order of the slices. */
    const uint32_t *order;
} source_t;

/* The rows of a slice. */
static size_t rows_in(const spmv_local_matrix_t *matrix, size_t s)
{
    size_t left = matrix->row_count - s * SPMV_LANES;
    return left < SPMV_LANES ? left : SPMV_LANES;
}

/* The columns of a row: at least one, which padding uses too. */
static uint32_t column_count(const source_t *from, uint32_t row)
{
    uint32_t length = from->rows->lengths[row];
    return length > 0 ? length : 1;
}

static uint32_t place_of_all(const uint32_t *places, size_t rows)
{
    for (size_t lane = 1; lane < rows; lane++)
        if (places[lane] != places[0] + lane)
            return SPMV_SCATTERED;
    return rows == SPMV_LANES ? places[0] : SPMV_SCATTERED;
}

/* The length of a slice, and how far its columns reach. */
static void survey_slice(const spmv_local_matrix_t *matrix, const source_t *from, size_t s,
                         spmv_slice_t *slice)
{
    uint32_t length = 0;
    uint32_t most = 0;
    slice->base = UINT32_MAX;
    for (size_t lane = 0; lane < rows_in(matrix, s); lane++) {
        uint32_t row = from->order[s * SPMV_LANES + lane];
        const uint32_t *columns = &from->rows->columns[row * from->rows->r_nz];
        for (uint32_t j = 0; j < column_count(from, row); j++) {
            slice->base = columns[j] < slice->base ? columns[j] : slice->base;
            most = columns[j] > most ? columns[j] : most;
        }
        length = from->rows->lengths[row] > length ? from->rows->lengths[row] : length;
    }
    slice->length = length & INT32_MAX;
    slice->is_wide = !matrix->form.is_narrow || most - slice->base > UINT16_MAX;
}

/* A change of length mispredicts a branch, which costs more than a seventh of a slice's entries. */
static void even_out(spmv_local_matrix_t *matrix)
{
    uint32_t longest = 0;
    size_t places = 0;
    for (size_t s = 0; s < matrix->slice_count; s++) {
        uint32_t length = matrix->slices[s].length;
        longest = length > longest ? length : longest;
        places += length;
    }
    if (slices_are_even(places, matrix->slice_count, longest))
        for (size_t s = 0; s < matrix->slice_count; s++)
            matrix->slices[s].length = longest & INT32_MAX;
}

static void plan_slices(spmv_local_matrix_t *matrix, const source_t *from)
{
    spmv_slice_t end = {.place = SPMV_SCATTERED};
    for (size_t s = 0; s < matrix->slice_count; s++)
        survey_slice(matrix, from, s, &matrix->slices[s]);
    even_out(matrix);
    for (size_t s = 0; s < matrix->slice_count; s++) {
        spmv_slice_t *slice = &matrix->slices[s];
        slice->value_at = end.value_at;
        slice->column_at = end.column_at;
        slice->line_at = 0;
        slice->place = place_of_all(&matrix->places[s * SPMV_LANES], rows_in(matrix, s));
        matrix->scattered += slice->place == SPMV_SCATTERED;
        end.value_at += (uint64_t)slice->length * SPMV_LANES;
        end.column_at += (uint64_t)slice->length * SPMV_LANES * (slice->is_wide ? 2 : 1);
    }
    for (size_t s = 0; s <= SPMV_SLICES_AHEAD; s++)
        matrix->slices[matrix->slice_count + s] = end;
    matrix->entries = end.value_at;
    matrix->column_units = end.column_at;
}

/* Entry j of a row, or its padding: a value of 0 adds nothing, and a column of the row's own
 * fetches nothing, and its value of x is not finite only where the row's sum is not. */
static void fill_entry(spmv_local_matrix_t *matrix, const source_t *from, size_t s, uint32_t lane,
                       uint32_t j)
{
    const spmv_slice_t *slice = &matrix->slices[s];
    size_t at =
        matrix->form.is_by_row ? (size_t)lane * slice->length + j : (size_t)j * SPMV_LANES + lane;
    double value = 0.0;
    uint32_t distance = 0;
    if (lane < rows_in(matrix, s)) {
        uint32_t row = from->order[s * SPMV_LANES + lane];
        size_t count = column_count(from, row);
        size_t last = row * from->rows->r_nz + (j < count ? j : count - 1);
        distance = from->rows->columns[last] - slice->base;
        if (j < from->rows->lengths[row])
            value = from->A[from->rows->places[row] * from->rows->r_nz + j];
    }
    matrix->A[slice->value_at + at] = value;
    if (slice->is_wide)
        ((uint32_t *)(void *)&matrix->J[slice->column_at])[at] = distance;
    else
        matrix->J[slice->column_at + at] = (uint16_t)distance;
}

static void fill_slices(spmv_local_matrix_t *matrix, const source_t *from)
{
    for (size_t s = 0; s < matrix->slice_count; s++)
        for (uint32_t j = 0; j < matrix->slices[s].length; j++)
            for (uint32_t lane = 0; lane < SPMV_LANES; lane++)
                fill_entry(matrix, from, s, lane, j);
}

void spmv_local_matrix_create(const double *D, const double *A, const spmv_rows_t *rows,
                              spmv_form_t form, spmv_local_matrix_t *matrix)
{
    size_t slices = (rows->count + SPMV_LANES - 1) / SPMV_LANES;
    uint32_t *order = common_alloc("local matrix: order", rows->count, sizeof(uint32_t));
    source_t from = {.D = D, .A = A, .rows = rows, .order = order};
    *matrix = (spmv_local_matrix_t){
        .row_count = rows->count,
        .slice_count = slices,
        .slices = common_alloc("local matrix: slices", slices + SPMV_SLICES_AHEAD + 1,
                               sizeof(spmv_slice_t)),
        .places = common_alloc("local matrix: rows", rows->count, sizeof(uint32_t)),
        .D = common_alloc("local matrix: D", rows->count, sizeof(double)),
        .form = form,
    };
    spmv_row_order_find(rows->lengths, rows->count, order);
    for (size_t k = 0; k < rows->count; k++) {
        matrix->places[k] = rows->places[order[k]];
        matrix->D[k] = D[rows->places[order[k]]];
        matrix->nonzeros += rows->lengths[k];
    }
    plan_slices(matrix, &from);
    matrix->A = common_alloc("local matrix: A", matrix->entries, sizeof(double));
    matrix->J = common_alloc("local matrix: J", matrix->column_units, sizeof(uint16_t));
    fill_slices(matrix, &from);
    if (form.fetches)
        spmv_line_list_make(rows, order, spmv_local_matrix_bytes(matrix), matrix);
    free(order);
}

void spmv_rows_free(spmv_rows_t *rows)
{
    free(rows->columns);
    free(rows->lengths);
    free(rows->places);
}

size_t spmv_local_matrix_bytes(const spmv_local_matrix_t *matrix)
{
    return matrix->entries * sizeof(double) + matrix->column_units * sizeof(uint16_t) +
           matrix->slice_count * sizeof(spmv_slice_t) + matrix->row_count * sizeof(double) +
           matrix->scattered * SPMV_LANES * sizeof(uint32_t) +
           (matrix->form.fetches ? matrix->line_count * sizeof(uint32_t) : 0);
}

void spmv_local_matrix_free(spmv_local_matrix_t *matrix)
{
    free(matrix->lines);
    free(matrix->J);
    free(matrix->A);
    free(matrix->D);
    free(matrix->places);
    free(matrix->slices);
}
