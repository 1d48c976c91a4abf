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

#ifdef __cplusplus
extern "C" {
#endif

/** How far apart, greatest over least, a steady parameter's rounds may be: several times what
 *  rounds differ by on a quiet machine, and less than what a second job on it takes. */
#define STEADY_RATIO 1.25

/** The steady parameters: rows from memory and from the last-level cache, not the prices of lines,
 *  which are differences of two times; ends with NULL. */
#define STEADY_PARAMETERS \
    { \
        "product_row_16", "product_held_16", "sliced_row_16", "sliced_held_16", NULL \
    }

#ifdef __cplusplus
}
#endif

#endif
