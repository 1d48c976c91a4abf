/**
 * Sums of counted traffic.
 */
#ifndef COMMON_TRAFFIC_H
#define COMMON_TRAFFIC_H

#include <stddef.h>

#include <pgas/stats.h>

/** Adds `more` to `sum`, so many times. */
void common_traffic_add(pgas_stats_t *sum, const pgas_stats_t *more, size_t times);

#endif
