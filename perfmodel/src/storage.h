/**
 * How many places for off-diagonals the local matrices of v4 and v5 have
 * (apps/spmv/local_matrix.h), row by row, by the rules of support/slices.h.
 */
#ifndef PERFMODEL_SRC_STORAGE_H
#define PERFMODEL_SRC_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The rows of one local matrix so far. */
typedef struct modeli_storage {
    /** By length: rows of the window at hand; longest_possible + 1 of them. */
    uint32_t *in_window;
    size_t longest_possible;
    uint64_t rows;
    uint64_t longest;
    /** Of the slice at hand. */
    uint64_t slice_longest;
    /** Sums of the whole slices' lengths, in the order of rows and sorted. */
    uint64_t kept;
    uint64_t sorted;
} modeli_storage_t;

/** For rows of up to `longest_possible` off-diagonals; false if there is no memory. */
bool modeli_storage_init(size_t longest_possible, modeli_storage_t *storage);

/** Begins with no rows. */
void modeli_storage_clear(modeli_storage_t *storage);

/** Adds the next row. */
void modeli_storage_add(modeli_storage_t *storage, size_t length);

/** The places of all rows, padding included. No rows can be added any more. */
uint64_t modeli_storage_entries(modeli_storage_t *storage);

/** Frees the memory. Harmless on one that is all zero. */
void modeli_storage_free(modeli_storage_t *storage);

#endif
