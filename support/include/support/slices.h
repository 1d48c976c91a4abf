/**
 * How rows of different lengths stand in the slices of a local matrix (apps/spmv/local_matrix.h):
 * what the product does and the model counts.
 *
 * Header only, so that an installed library can use it.
 */
#ifndef SUPPORT_SLICES_H
#define SUPPORT_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Rows of a slice. */
#define SLICES_ROWS 8

/** Rows that may change places with each other: their parts of x and y stay in the nearest cache.
 */
#define SLICES_WINDOW 4096

/** Whether rows keep their order: if their slices hold no more than a quarter above what they hold
 *  with rows sorted by length. In entries, padding included. */
static inline bool slices_keep_order(uint64_t kept, uint64_t sorted)
{
    return kept <= sorted / 4 * 5;
}

/** Whether all slices are as long as the longest: if that holds no more than a seventh above what
 *  they hold with lengths of their own. `lengths` is the sum of these. */
static inline bool slices_are_even(uint64_t lengths, uint64_t slices, uint64_t longest)
{
    return lengths >= slices * longest / 8 * 7;
}

#ifdef __cplusplus
}
#endif

#endif
