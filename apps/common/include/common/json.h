/**
 * What the reports of all programs have in common: spreads, counted traffic, the file itself.
 *
 * The functions that return a json_t give the caller its only reference.
 */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include <jansson.h>
#include <pgas/stats.h>

#include "common/timing.h"

/** {"median", "min", "max"}, in the unit of the spread. */
json_t *common_spread_to_json(const common_spread_t *spread);

/**
 * [{"place": "own", "local" or "remote", "mode": "individual", "contiguous", "condensed", "am",
 * "atomic" or "signal", "direction": "from" or "to", "operations", "bytes"}], without zero entries:
 * the traffic of one of `times` equal pieces of work, which have counted `stats` together.
 *
 * The numbers are whole ones, unless `times` does not divide them: then the pieces were not equal,
 * and a number is the mean, with a fraction. `times` 0 is for no piece, which has counted nothing.
 */
json_t *common_traffic_to_json(const pgas_stats_t *stats, uint64_t times);

/** The names of places in JSON, by pgas_place_t. */
extern const char *const common_place_names[PGAS_PLACES];

/** Ends the job if common_json_write could not write `path`. For long work, before it. Leaves
 *  nothing behind. Accepts NULL; one thread calls. */
void common_json_check(const char *option, const char *path);

/** Writes `root` to `path`, or to standard output for "-", and takes the reference. The file
 *  appears whole or not at all. Ends the job with one line, which begins with `option`, if it
 *  cannot be written; one thread calls. */
void common_json_write(json_t *root, const char *option, const char *path);

#endif
