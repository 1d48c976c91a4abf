/**
 * One time step of one row (Listing 8), by one kernel per kind of processor. They differ only in
 * speed: all give the same bits.
 *
 * The listing as printed leaves out the old value, which the equation needs:
 * phin = phi + ((phi[i+1] + phi[i-1] - 2 phi) / dy^2 + (phi[k+1] + phi[k-1] - 2 phi) / dx^2) dt.
 */
#ifndef HEAT_KERNEL_H
#define HEAT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

/** Mesh and time step. */
typedef struct heat_coefficients {
    double dx2i;
    double dy2i;
    double dt;
} heat_coefficients_t;

/** Computes `count` points: `phi` and `phin` are the first one's places in the old and the new
 *  level, and the rows above and below lie `pitch` values away. */
typedef void heat_row_t(const double *phi, size_t pitch, double *phin, size_t count,
                        const heat_coefficients_t *coefficients);

/** For any processor. */
heat_row_t heat_row_portable;

/** For processors with AVX2, and with AVX-512F; NULL where the compiler does not know those. The
 *  streaming ones write past the caches: the new level need not be read before it is written, so
 *  that two words per point move instead of the three of formula (22). They may pay off where a
 *  block is larger than the caches; heat_row_finish must follow them. */
extern heat_row_t *const heat_row_avx2;
extern heat_row_t *const heat_row_avx512;
extern heat_row_t *const heat_row_avx2_streaming;
extern heat_row_t *const heat_row_avx512_streaming;

/** Orders streamed values before everything that the thread writes afterwards. */
void heat_row_finish(void);

/** True if this processor can run the kernel; false for NULL. */
bool heat_row_runs(heat_row_t *row);

/** The fastest that this processor can run; NULL if it has no streaming kernel. */
heat_row_t *heat_row_choose(bool streaming);

#endif
