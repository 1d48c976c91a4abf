/**
 * How v4 and v5 of the sparse product bring a thread's own values to its boundary rows: what the
 * product does and the model counts.
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

/** Whether a thread copies all of its part of x for its boundary rows: if these use more than a
 *  third of it. Else it packs the values that they use and copies those, which takes about three
 *  times as long for each. */
static inline bool boundary_copies_part(uint64_t used, uint64_t part)
{
    return used > part / 3;
}

#ifdef __cplusplus
}
#endif

#endif
