/**
 * What rows of products cost, from rates measured at a few widths and densities of lines.
 */
#ifndef PERFMODEL_SRC_RATES_H
#define PERFMODEL_SRC_RATES_H

#include "perfmodel/machine.h"

/** Rows of a product, and the lines of x that they fetch out of order: close, near and far. */
typedef struct modeli_rows {
    double rows;
    /** Off-diagonals per row. */
    double width;
    double close;
    double near;
    double far;
    /** Whether the thread's share of the last-level cache holds the matrix. */
    bool is_held;
} modeli_rows_t;

/** Whether all rates of a kernel are known; a kernel without rates of lines uses those of
 *  "pointers". */
bool modeli_knows_rates(const model_parameters_t *machine, model_kernel_t kernel);

/** Whether a matrix of that size, including vectors, stays in a thread's share of the last-level
 *  cache; false if the share is unknown. */
bool modeli_is_held(double nbytes, const model_parameters_t *machine);

/** Seconds of the rows if all lines came in order: interpolated linearly between the measured
 *  widths, extrapolated linearly beyond them. */
double modeli_rows_seconds(const modeli_rows_t *rows, const model_parameters_t *machine,
                           model_kernel_t kernel);

/**
 * Seconds that their lines out of order add, by the mean number of lines per row.
 *
 * Up to one line per row, the cost of a line goes from that in a mesh in good order, gather_access,
 * to that of one random line in every row; from there it goes to that in rows which need a line for
 * every column. The reason: a core overlaps the lines of a row, and of the few rows that it works
 * on at a time. The costs of close, near and far lines are averaged in proportion to the lines. The
 * kernel must have rates of lines.
 */
double modeli_lines_seconds(const modeli_rows_t *rows, const model_parameters_t *machine,
                            model_kernel_t kernel);

#endif
