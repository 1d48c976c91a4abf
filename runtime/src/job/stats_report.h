/**
 * The report of counted traffic that PGAS_STATS asks for.
 */
#ifndef PGASI_JOB_STATS_REPORT_H
#define PGASI_JOB_STATS_REPORT_H

#include <pgas/types.h>
#include <stdbool.h>

/** Checks PGAS_STATS; logs a value that makes no sense, and in thread 0 a file that cannot be
 *  written. */
pgas_status_t pgasi_stats_check(void);

/** Gathers the counts of all threads on thread 0, which prints or writes them. Collective. Does
 *  nothing unless PGAS_STATS is set. Returns false in threads that could not do their part, for
 *  which a line says why; a thread without memory for its counts ends the job. */
bool pgasi_stats_report(void);

#endif
