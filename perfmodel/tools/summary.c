#include "summary.h"

#include <math.h>

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* The median of three, so that sorted numbers take no longer than others. */
static double choose_pivot(const double *values, size_t first, size_t last)
{
    double a = values[first];
    double b = values[first + (last - first) / 2];
    double c = values[last];
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Hoare's partition: up to the returned index, which is before the last, nothing is greater than
 * the pivot; after it nothing is less. */
static size_t partition(double *values, size_t first, size_t last)
{
    double pivot = choose_pivot(values, first, last);
    size_t low = first;
    size_t high = last;
    for (;;) {
        while (values[low] < pivot)
            low++;
        while (values[high] > pivot)
            high--;
        if (low >= high)
            return high;
        swap(&values[low++], &values[high--]);
    }
}

/* Afterwards element k is what it would be in the sorted sequence, and nothing after it is less. */
static double select_place(double *values, size_t count, size_t k)
{
    size_t first = 0;
    size_t last = count - 1;
    while (first < last) {
        size_t end = partition(values, first, last);
        if (k <= end)
            last = end;
        else
            first = end + 1;
    }
    return values[k];
}

static double median_of(double *values, size_t count)
{
    size_t half = count / 2;
    double upper = select_place(values, count, half);
    if (count % 2 != 0)
        return upper;
    double lower = values[0];
    for (size_t i = 1; i < half; i++)
        lower = fmax(lower, values[i]);
    return (lower + upper) / 2.0;
}

summary_t summary_of(double *values, size_t count)
{
    summary_t summary = {.min = values[0], .max = values[0]};
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        summary.min = fmin(summary.min, values[i]);
        summary.max = fmax(summary.max, values[i]);
        sum += values[i];
    }
    summary.mean = sum / (double)count;
    summary.median = median_of(values, count);
    return summary;
}

static json_t *number_json(double value, bool is_count)
{
    return is_count && value == floor(value) ? json_integer((json_int_t)value) : json_real(value);
}

json_t *summary_json(double *values, size_t count, bool is_count)
{
    summary_t summary = summary_of(values, count);
    return json_pack("{s:o, s:o, s:o, s:f}", "min", number_json(summary.min, is_count), "median",
                     number_json(summary.median, is_count), "max",
                     number_json(summary.max, is_count), "mean", summary.mean);
}
