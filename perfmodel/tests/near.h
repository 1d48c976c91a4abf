/**
 * Compares numbers with a tolerance, and prints them if they differ. Include after cmocka.h.
 */
#ifndef PERFMODEL_TESTS_NEAR_H
#define PERFMODEL_TESTS_NEAR_H

#include <math.h>

/** Fails the test unless `value` is within `tolerance` of `expected`. */
static inline void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", value, expected);
}

#endif
