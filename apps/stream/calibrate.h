/**
 * The hardware parameters of the performance model, measured in the shape of the job.
 *
 * The file (--out) is JSON: {"format": "fathom-machine", "version": 1, "name", "host" and
 * "processor" of thread 0, "date" (UTC, ISO 8601), "source", "threads", "nodes", "threads_per_node"
 * (of the largest node), "cache_line_bytes", "first_level_cache_bytes" and
 * "second_level_cache_bytes" (of a core; 0: not known), "last_level_cache_bytes" (of one host,
 * as the system reports it), "last_level_share_bytes" (of a thread, measured), "rounds",
 * "parameters": {NAME:
 * {"median", "min", "max"}}}. Parameters in bytes per second or seconds; one that the job cannot
 * measure is absent. README.md says what each of them means.
 */
#ifndef STREAM_CALIBRATE_H
#define STREAM_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct stream_calibrate_settings {
    /** Where the file goes; "-" is standard output. */
    const char *out;
    /** Of the machine; NULL: the host's. */
    const char *name;
    /** About how long to measure. */
    double seconds;
    /** Rounds, at most 1000; 0: as many as fit into `seconds`. */
    size_t rounds;
    /** Elements per thread of each array that must exceed the caches, at least
     *  STREAM_EXCHANGE_LEAST; 0: twice the last level. */
    size_t elements;
} stream_calibrate_settings_t;

/** Measures and writes. Collective. Ends the job with one line if the file cannot be written or a
 *  measured computation went wrong. */
void stream_calibrate(const stream_calibrate_settings_t *settings);

#endif
