/**
 * What all products of a local matrix have in common: slice by slice, they add up the off-diagonals
 * of eight rows, fetching entries ahead as they go, and write eight results. Inlined into each.
 */
#ifndef SPMV_SLICE_LOOP_H
#define SPMV_SLICE_LOOP_H

#include "local_product.h"

#define SPMV_INLINE static inline __attribute__((always_inline))

/** The columns of a slice. */
typedef struct spmv_columns {
    const uint16_t *narrow;
    const uint32_t *wide;
} spmv_columns_t;

/** Adds up eight rows: `length` entries each, with values `A`, and fetches entries ahead. The
 *  compiler knows `is_wide` and, mostly, `length`. */
typedef void spmv_sum_t(const double *A, spmv_columns_t J, bool is_wide, size_t length,
                        const double *x, double *sums);

/** The distance of entry i. */
SPMV_INLINE uint32_t spmv_column(spmv_columns_t J, bool is_wide, size_t i)
{
    return is_wide ? J.wide[i] : J.narrow[i];
}

/** Called before eight entries from `i` on are used, fetches the lines of as many entries ahead;
 *  past the ends of the arrays, too, which is harmless. One line at a time: those of a whole slice
 *  at once would occupy what the core has for lines on their way, and x would wait for them. */
SPMV_INLINE void spmv_fetch_entries(const double *A, spmv_columns_t J, bool is_wide, size_t i)
{
    const size_t ahead = (size_t)SPMV_ENTRIES_AHEAD;
    const size_t line = 64 / (is_wide ? sizeof *J.wide : sizeof *J.narrow);
    __builtin_prefetch(&A[i + ahead]);
    if (i % line == 0 && is_wide)
        __builtin_prefetch(&J.wide[i + ahead]);
    else if (i % line == 0)
        __builtin_prefetch(&J.narrow[i + ahead]);
}

SPMV_INLINE void spmv_fetch_x(const spmv_local_matrix_t *matrix, const spmv_slice_t *slice,
                              const double *x)
{
    for (size_t i = slice->line_at; i < slice[1].line_at; i++)
        __builtin_prefetch(&x[(size_t)matrix->lines[i] * SPMV_LANES]);
}

SPMV_INLINE void spmv_write(const spmv_local_matrix_t *matrix, size_t s, const double *sums,
                            const double *own_x, double *own_y)
{
    size_t first = s * SPMV_LANES;
    uint32_t place = matrix->slices[s].place;
    if (place != SPMV_SCATTERED)
        for (size_t lane = 0; lane < SPMV_LANES; lane++)
            own_y[place + lane] = matrix->D[first + lane] * own_x[place + lane] + sums[lane];
    else
        for (size_t k = first; k < first + SPMV_LANES && k < matrix->row_count; k++)
            own_y[matrix->places[k]] = matrix->D[k] * own_x[matrix->places[k]] + sums[k - first];
}

/** The product of slices begin .. end - 1. */
SPMV_INLINE void spmv_slice_loop(const spmv_local_matrix_t *matrix, size_t begin, size_t end,
                                 const double *x, const double *own_x, double *own_y,
                                 spmv_sum_t *sum)
{
    /* The compiler knows the row length of a tetrahedral mesh and unrolls the sums. */
    enum {
        TETRAHEDRA = 16
    };
    for (size_t s = begin; s < end; s++) {
        const spmv_slice_t *slice = &matrix->slices[s];
        const double *A = &matrix->A[slice->value_at];
        const uint16_t *narrow = &matrix->J[slice->column_at];
        spmv_columns_t J = {narrow, (const uint32_t *)(const void *)narrow};
        const double *near_x = x + slice->base;
        double sums[SPMV_LANES];
        if (matrix->form.fetches)
            spmv_fetch_x(matrix, slice + SPMV_SLICES_AHEAD, x);
        if (slice->length == TETRAHEDRA && !slice->is_wide)
            sum(A, J, false, TETRAHEDRA, near_x, sums);
        else if (slice->length == TETRAHEDRA)
            sum(A, J, true, TETRAHEDRA, near_x, sums);
        else if (!slice->is_wide)
            sum(A, J, false, slice->length, near_x, sums);
        else
            sum(A, J, true, slice->length, near_x, sums);
        spmv_write(matrix, s, sums, own_x, own_y);
    }
}

#endif
