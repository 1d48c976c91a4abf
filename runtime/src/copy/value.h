/**
 * Values in flight, for the debug build.
 */
#ifndef PGASI_COPY_VALUE_H
#define PGASI_COPY_VALUE_H

#ifdef PGAS_DEBUG

/** Reports the reads that were never waited for. */
void pgasi_value_report(void);

#else

static inline void pgasi_value_report(void)
{
}

#endif

#endif
