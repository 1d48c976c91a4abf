/**
 * The types of a local matrix: the rows it is built from, its slices, its arrays (local_matrix.h).
 */
#ifndef SPMV_SLICE_H
#define SPMV_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/slices.h"

/** Rows of a slice. */
#define SPMV_LANES SLICES_ROWS

/** How many slices ahead a product prefetches lines of x. */
#define SPMV_SLICES_AHEAD 8

/** How many entries ahead it prefetches values and columns: 8 KiB of values, more than the hardware
 *  does across a page's end. */
#define SPMV_ENTRIES_AHEAD 1024

typedef struct spmv_slice {
    /** Where its values begin in A, and its columns in J, in units of 16 bits. */
    uint64_t value_at;
    uint64_t column_at;
    /** The column from which its columns are counted. */
    uint32_t base;
    /** The place of its first row if the others follow, else SPMV_SCATTERED. */
    uint32_t place;
    /** Where the lines of x that it fetches begin. */
    uint32_t line_at;
    /** Places for off-diagonals in each row, and whether their columns have 32 bits. */
    uint32_t length : 31;
    uint32_t is_wide : 1;
} spmv_slice_t;

#define SPMV_SCATTERED UINT32_MAX

/** The form of matrix that a product needs. */
typedef struct spmv_form {
    /** A slice's entries are stored row by row; else column by column, one row per lane of a vector
     *  register. */
    bool is_by_row;
    /** Columns have 16 bits in slices whose columns lie within 65,536 of each other; else 32. */
    bool is_narrow;
    /** Lines of x that come out of order are fetched ahead (line_list.h). */
    bool fetches;
} spmv_form_t;

/** Rows to be laid out, of a matrix with `r_nz` places for off-diagonals in each row. */
typedef struct spmv_rows {
    size_t count;
    size_t r_nz;
    /** By row: its number in D and A, and its place in the thread's part of x and y. */
    uint32_t *places;
    /** By row: its off-diagonals up to the last that is not padding. */
    uint32_t *lengths;
    /** r_nz for each row, below 2^31; they index x. */
    uint32_t *columns;
    /** Whether x is the thread's part of x, which the diagonals read too. */
    bool reads_own;
} spmv_rows_t;

typedef struct spmv_local_matrix {
    size_t row_count;
    size_t slice_count;
    /** The last is followed by SPMV_SLICES_AHEAD + 1 empty slices. */
    spmv_slice_t *slices;
    /** By row, in the order of the slices: its place in the thread's own part of x and y. */
    uint32_t *places;
    double *D;
    double *A;
    uint16_t *J;
    /** Lines of x by the slices that need them, counted from x, eight values each. */
    uint32_t *lines;
    size_t line_count;
    spmv_form_t form;
    /** Values in A, padding included; off-diagonals among them; units of 16 bits in J; and slices
     *  whose places are listed. */
    size_t entries;
    size_t nonzeros;
    size_t column_units;
    size_t scattered;
} spmv_local_matrix_t;

#endif
