/**
 * Many numbers in four: what a job of a million threads says of them all.
 */
#ifndef PERFMODEL_TOOLS_SUMMARY_H
#define PERFMODEL_TOOLS_SUMMARY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/** The least, the middle, the greatest of some numbers, and their mean. */
typedef struct summary {
    double min;
    /** Of an even number of them the mean of the middle two. */
    double median;
    double max;
    double mean;
} summary_t;

/** Sums up `count` numbers, at least one, in a time that grows with their number; they are left in
 *  another sequence. */
summary_t summary_of(double *values, size_t count);

/** {"min", "median", "max", "mean"} of the same; those of the first three that are whole numbers
 *  become integers if `is_count`. */
json_t *summary_json(double *values, size_t count, bool is_count);

#endif
