/**
 * The report of counted traffic that PGAS_STATS asks for.
 */
#ifndef PGASI_STATS_REPORT_H
#define PGASI_STATS_REPORT_H

/** Gathers all threads' counts on thread 0, which prints or writes them. Collective. Does nothing
 *  unless PGAS_STATS asks for it. */
void pgasi_stats_report(void);

#endif
