/**
 * What a run found, as lines for people and as JSON for programs.
 *
 * JSON: {"program", "version", "size": [M, N] (points of the mesh, boundary included), "grid": [P,
 * Q], "threads", "nodes", "iterations" (steps from the start of the field), "repetitions", "start",
 * "halo": the form of the exchange, "steps_per_exchange", "stores": "cached" or "streaming",
 * "first_step" (0, or the checkpoint's), "steps" (that a repetition computed), "exchanges" (the
 * same),
 * "seconds": {"total", "halo", "compute", "barrier"}, each {"median", "min", "max"} over the
 *   repetitions, for all those steps without checkpoints; of the parts, the slowest thread's,
 * "gb_per_s" (the bytes of formula (22) over "compute", 1e9 bytes),
 * "check": "ok", "failed" or "none", and if there was one "differing" (points that are not those of
 *   a sequential solver), "mode_error" and "mode_limit" (a sine mode beside what the scheme makes
 *   of it), "solution_error" (beside the differential equation's solution), errors that are not
 *   finite left out, and "traffic_as_predicted",
 * "threads": [{"thread", "node", "block": [m, n] (the points it owns and one halo layer around
 *   them), "seconds_per_iteration": {"halo", "compute", "barrier"}, "traffic" (counted, of
 *   one exchange, that is of "steps_per_exchange" iterations; with a fraction where not all
 *   exchanges counted the same, as they must; empty without exchanges): [{"place", "mode",
 *   "direction", "operations", "bytes"}]}]}
 */
#ifndef HEAT_REPORT_H
#define HEAT_REPORT_H

#include "run.h"

/** All that a report needs. */
typedef struct heat_report {
    const heat_form_t *form;
    const heat_problem_t *problem;
    const heat_settings_t *settings;
    const heat_result_t *result;
} heat_report_t;

/** Prints it to standard output. For thread 0. */
void heat_report_print(const heat_report_t *report);

/** Writes JSON to `path`, or to standard output for "-". The file appears whole or not at all. For
 *  thread 0. Ends the job with one line if it cannot be written. */
void heat_report_write(const heat_report_t *report, const char *path);

#endif
