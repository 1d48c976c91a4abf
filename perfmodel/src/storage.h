/**
 * How many places for off-diagonals the local matrices of v4 and v5 (apps/spmv/local_matrix.h)
 * have. Rows are added one by one; the rules are those of support/slices.h.
 */
#ifndef PERFMODEL_SRC_STORAGE_H
#define PERFMODEL_SRC_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The rows of one local matrix so far. */
typedef struct modeli_storage {
    /** Rows of the current window, by length; longest_possible + 1 elements. */
    uint32_t *in_window;
    size_t longest_possible;
    uint64_t rows;
    uint64_t longest;
    /** Of the current slice. */
    uint64_t slice_longest;
    /** Sums of the lengths of complete slices, with rows in order and with rows sorted. */
    uint64_t kept;
    uint64_t sorted;
} modeli_storage_t;

/** For rows of up to `longest_possible` off-diagonals; false if memory runs out. */
bool modeli_storage_init(size_t longest_possible, modeli_storage_t *storage);

/** Begins with no rows. */
void modeli_storage_clear(modeli_storage_t *storage);

/** Adds the next row. */
void modeli_storage_add(modeli_storage_t *storage, size_t length);

/** The places of all rows, padding included. No more rows can be added. */
uint64_t modeli_storage_entries(modeli_storage_t *storage);

/** Frees the memory. Harmless on one that is all zero. */
void modeli_storage_free(modeli_storage_t *storage);

#endif
