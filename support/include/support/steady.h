/**
 * When a calibration counts as disturbed: what calibrate says of it and tune warns of.
 *
 * Some parameters are the least of several times in every round, and the same in every round as
 * long as the machine is the same. If one of them differs between rounds, the machine had two
 * speeds: other programs, or other guests of its host, used memory or caches meanwhile. Header
 * only, so that an installed library can use it.
 */
#ifndef SUPPORT_STEADY_H
#define SUPPORT_STEADY_H

#include <stdbool.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How far apart, greatest over least, a steady parameter's rounds may be: several times what
 *  rounds differ by on a quiet machine, and less than what a second job on it takes. */
#define STEADY_RATIO 1.25

/** Whether a parameter is steady: rows from memory and from the last-level cache are, not the
 * prices of lines, which are differences of two times. */
static inline bool steady_is_parameter(const char *name)
{
    return strcmp(name, "product_row_16") == 0 || strcmp(name, "product_held_16") == 0 ||
           strcmp(name, "sliced_row_16") == 0 || strcmp(name, "sliced_held_16") == 0;
}

#ifdef __cplusplus
}
#endif

#endif
