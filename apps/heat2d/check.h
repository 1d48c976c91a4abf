/**
 * Checks the result against a sequential solver, and against the known decay of a sine mode.
 */
#ifndef HEAT_CHECK_H
#define HEAT_CHECK_H

#include "problem.h"

/** The largest differences between a computed sine mode and its known values. */
typedef struct heat_mode_errors {
    /** From the mode times the factor of the scheme: rounding only. */
    double scheme;
    /** From the solution of the differential equation: the error of the method. */
    double solution;
} heat_mode_errors_t;

/** Points whose bits differ from those of a sequential solver after as many steps from the same
 *  start. Collective. Thread 0 computes, with two levels of the whole mesh of its own, and gets the
 *  number; the others get 0. */
size_t heat_check_differing(const heat_problem_t *problem);

/** The errors of a field that started as HEAT_SINE, over all threads. Collective. */
heat_mode_errors_t heat_check_mode(const heat_problem_t *problem);

/** The limit that rounding sets for the first of them after `steps` steps. */
double heat_check_mode_limit(size_t steps);

#endif
