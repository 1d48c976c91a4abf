#include "local_matrix.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/large.h"
#include "local_product.h"

static uint32_t least(const uint32_t *columns, size_t count, uint32_t *most)
{
    uint32_t low = UINT32_MAX;
    *most = 0;
    for (size_t i = 0; i < count; i++) {
        low = columns[i] < low ? columns[i] : low;
        *most = columns[i] > *most ? columns[i] : *most;
    }
    return count > 0 ? low : 0;
}

static uint32_t common_place(const uint32_t *places, size_t rows)
{
    for (size_t lane = 1; lane < rows; lane++)
        if (places[lane] != places[0] + lane)
            return SPMV_SCATTERED;
    return rows == SPMV_LANES ? places[0] : SPMV_SCATTERED;
}

static size_t slice_count(size_t row_count)
{
    return (row_count + SPMV_LANES - 1) / SPMV_LANES;
}

static size_t rows_in(const spmv_local_matrix_t *matrix, size_t s)
{
    size_t left = matrix->row_count - s * SPMV_LANES;
    return left < SPMV_LANES ? left : SPMV_LANES;
}

/* Decides how the slices' columns are kept; returns their size in units of 16 bits. */
static size_t plan_slices(spmv_local_matrix_t *matrix, const uint32_t *columns)
{
    size_t at = 0;
    for (size_t s = 0; s < slice_count(matrix->row_count); s++) {
        size_t first = s * SPMV_LANES;
        uint32_t most;
        uint32_t base =
            least(&columns[first * matrix->r_nz], rows_in(matrix, s) * matrix->r_nz, &most);
        bool is_wide = most - base > UINT16_MAX;
        matrix->slices[s] = (spmv_slice_t){
            .at = at,
            .base = base,
            .place = common_place(&matrix->places[first], rows_in(matrix, s)),
            .is_wide = is_wide,
        };
        at += SPMV_LANES * matrix->r_nz * (is_wide ? 2 : 1);
    }
    return at;
}

/* What pads the last slice adds nothing, from a column that is there. */
static void fill_slice(spmv_local_matrix_t *matrix, size_t s, const double *A,
                       const uint32_t *columns)
{
    const spmv_slice_t *slice = &matrix->slices[s];
    uint16_t *narrow = matrix->J + slice->at;
    uint32_t *wide = (uint32_t *)(void *)narrow;
    for (size_t j = 0; j < matrix->r_nz; j++)
        for (size_t lane = 0; lane < SPMV_LANES; lane++) {
            size_t row = s * SPMV_LANES + lane;
            size_t to = j * SPMV_LANES + lane;
            bool is_row = row < matrix->row_count;
            uint32_t distance = is_row ? columns[row * matrix->r_nz + j] - slice->base : 0;
            matrix->A[s * SPMV_LANES * matrix->r_nz + to] =
                is_row ? A[matrix->places[row] * matrix->r_nz + j] : 0;
            if (slice->is_wide)
                wide[to] = distance;
            else
                narrow[to] = (uint16_t)distance;
        }
}

void spmv_local_matrix_create(const double *D, const double *A, size_t r_nz, const uint32_t *places,
                              size_t row_count, const uint32_t *columns,
                              spmv_local_matrix_t *matrix)
{
    size_t slices = slice_count(row_count);
    *matrix = (spmv_local_matrix_t){
        .row_count = row_count,
        .r_nz = r_nz,
        .slices = common_alloc("local matrix: slices", slices, sizeof(spmv_slice_t)),
        .places = common_alloc("local matrix: rows", slices * SPMV_LANES, sizeof(uint32_t)),
        .D = common_alloc("local matrix: D", slices * SPMV_LANES, sizeof(double)),
        .A = common_alloc("local matrix: A", slices * SPMV_LANES * r_nz, sizeof(double)),
        .product = spmv_product_choose(),
    };
    for (size_t row = 0; row < row_count; row++) {
        matrix->places[row] = places[row];
        matrix->D[row] = D[places[row]];
    }
    size_t size = plan_slices(matrix, columns);
    matrix->J = common_alloc("local matrix: J", size, sizeof(uint16_t));
    for (size_t s = 0; s < slices; s++)
        fill_slice(matrix, s, A, columns);
}

void spmv_local_matrix_multiply(const spmv_local_matrix_t *matrix, const double *x,
                                const double *own_x, double *own_y)
{
    matrix->product(matrix, x, own_x, own_y);
}

void spmv_local_matrix_free(spmv_local_matrix_t *matrix)
{
    free(matrix->J);
    free(matrix->A);
    free(matrix->D);
    free(matrix->places);
    free(matrix->slices);
}
