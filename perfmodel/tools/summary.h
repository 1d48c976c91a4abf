/**
 * Many numbers summarised in four, even those of a million threads.
 */
#ifndef PERFMODEL_TOOLS_SUMMARY_H
#define PERFMODEL_TOOLS_SUMMARY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/** The least, the median, the greatest and the mean of some numbers. */
typedef struct summary {
    double min;
    /** For an even number, the mean of the middle two. */
    double median;
    double max;
    double mean;
} summary_t;

/** Summarises `count` numbers, at least one, in time linear in `count`; changes their order. */
summary_t summary_of(double *values, size_t count);

/** {"min", "median", "max", "mean"} of the numbers; if `is_count`, those of the first three that
 *  are whole become integers. */
json_t *summary_json(double *values, size_t count, bool is_count);

#endif
