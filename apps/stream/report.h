/**
 * What the reports of all commands have in common.
 *
 * JSON: {"program", "version", "command", "threads", "nodes", "threads_per_node" (of the largest
 * node), "repetitions", "check": "ok" or "failed" (values computed, read or sent), "results": one
 * object per row of the table}. Bandwidths are in bytes per second, times in seconds, each
 * {"median", "min", "max"} over the repetitions. Rows:
 *   stream:   "kernel", "elements", "bytes_per_element", "per_thread", "per_node", "total"
 *   shared:   "form": "pointers", "privatised" or "bulk", "place", "kernel", "elements",
 *             "bytes_per_element", "per_thread", "total"
 *   pingpong: "place", "nbytes", "seconds" (one way), "bytes_per_second"
 *   random:   "place", "elements", "reads", "seconds"
 *   latency:  "interface": "fathom" or "gasnet", "operation": "get" or "put", "mode": "blocking",
 * "explicit" or "implicit", "nbytes", "operations" (in each timing), "seconds" (of one) flood: as
 * latency, with "depth" and "bytes_per_second"; "seconds" are per message
 */
#ifndef STREAM_REPORT_H
#define STREAM_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/timing.h"
#include "options.h"

/** The rows of a command. On every thread; thread 0's are reported. */
typedef struct stream_report {
    const char *command;
    const stream_options_t *options;
    json_t *results;
    bool right;
} stream_report_t;

/** An empty report. Ends the job with one line if the requested file cannot be written. */
stream_report_t stream_report_begin(const char *command, const stream_options_t *options);

/** Adds a row and takes the reference. */
void stream_report_add(stream_report_t *report, json_t *row);

/** True where a table is to be printed: on thread 0, unless standard output is the JSON's. */
bool stream_report_prints(const stream_report_t *report);

/** Writes the JSON if it was requested; ends the job with one line if the check has failed. */
void stream_report_end(stream_report_t *report);

/** Prints a value that is not negative, right-aligned: with three significant digits or all that
 * are left of the point, without an exponent. */
void stream_print_number(int width, double value);

/** Prints a spread, times `factor`, in the same way: a median of 12 columns, then " (", least, " ..
 * ", greatest, ")" of 24 together. */
void stream_print_spread(const common_spread_t *spread, double factor);

/** The unit for a table of times. */
typedef struct stream_unit {
    const char *name;
    double per_second;
} stream_unit_t;

/** Microseconds, or nanoseconds where the least time is below one microsecond. */
stream_unit_t stream_unit_of(double least_seconds);

/** The spread of amount / value for all values of a spread: bandwidths of times. */
common_spread_t stream_rate(double amount, const common_spread_t *seconds);

/** The spread with all values times `factor`. */
common_spread_t stream_scaled(const common_spread_t *spread, double factor);

#endif
