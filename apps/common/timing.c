#include "common/timing.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

common_spread_t common_spread(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    double median =
        count % 2 == 1 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
    return (common_spread_t){.median = median, .min = values[0], .max = values[count - 1]};
}
