/**
 * Values in flight.
 */
#ifndef PGASI_COPY_VALUE_H
#define PGASI_COPY_VALUE_H

/** Frees what the calling agent has (base/agent.h). */
void pgasi_value_detach(void);

#ifdef PGAS_DEBUG

/** Reports, in the name of `call`, the reads that were never waited for. */
void pgasi_value_report(const char *call);

#else

static inline void pgasi_value_report(const char *call)
{
    (void)call;
}

#endif

#endif
