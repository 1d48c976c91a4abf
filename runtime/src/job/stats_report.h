/**
 * The report of counted traffic that PGAS_STATS asks for.
 */
#ifndef PGASI_JOB_STATS_REPORT_H
#define PGASI_JOB_STATS_REPORT_H

#include <pgas/types.h>
#include <stdbool.h>

/** If PGAS_STATS names a file, keeps its folder; thread 0 logs a file that cannot be written and
 *  returns PGAS_ERR_ARGUMENT. */
pgas_status_t pgasi_stats_check(void);

/** Whether PGAS_STATS asks for anything. */
bool pgasi_stats_are_wanted(void);

/** Gathers the counts of all threads on thread 0, which prints or writes them. Collective. Does
 *  nothing unless PGAS_STATS is set. Returns false in threads that could not do their part, for
 *  which a line says why; a thread without memory for its counts ends the job. */
bool pgasi_stats_report(void);

#endif
