/**
 * Which rows v4 and v5 of the sparse product compute when all values have arrived, the boundary
 * rows, and how they bring a thread's own values to them: what the product does and the model
 * counts.
 *
 * Header only, so that an installed library can use it.
 */
#ifndef SUPPORT_BOUNDARY_H
#define SUPPORT_BOUNDARY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whether all of a thread's rows are boundary rows, although some use own values only: if these
 *  are at most an eighth. They would hide little of the messages' way, and take lines of x twice
 * and the eights of rows that follow each other apart. */
static inline bool boundary_takes_all(uint64_t interior, uint64_t rows)
{
    return interior <= rows / 8 && interior < rows;
}

/** Whether a thread copies all of its part of x for its boundary rows: if these are all of its
 *  rows, or use more than a third of it. Else it packs the values that they use and copies those,
 * which takes about three times as long for each. */
static inline bool boundary_copies_part(uint64_t used, uint64_t part)
{
    return used > part / 3;
}

#ifdef __cplusplus
}
#endif

#endif
