/**
 * Time, for measurements.
 *
 *   pgas_tick_t begin = pgas_ticks_now();
 *   ...
 *   double seconds = 1e-9 * (double)pgas_ticks_to_ns(pgas_ticks_now() - begin);
 *
 * Ticks are counted from some instant in the past and never go back. Those of threads on one host
 * may be compared, those of different hosts may not. They need no job, and any operating-system
 * thread may call them. Not collective.
 *
 * After the timers of UPC 1.3, upc_tick.h.
 */
#ifndef PGAS_TICK_H
#define PGAS_TICK_H

#include <stdint.h>

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** Ticks: a number, of which differences are taken. */
typedef uint64_t pgas_tick_t;

/** The least and the greatest one. */
#define PGAS_TICK_MIN ((pgas_tick_t)0)
#define PGAS_TICK_MAX ((pgas_tick_t)UINT64_MAX)

/** The present. Takes some 20 ns. */
PGAS_API pgas_tick_t pgas_ticks_now(void);

/** A difference of ticks in nanoseconds. */
static inline uint64_t pgas_ticks_to_ns(pgas_tick_t ticks)
{
    return ticks;
}

PGAS_END_DECLS

#endif
